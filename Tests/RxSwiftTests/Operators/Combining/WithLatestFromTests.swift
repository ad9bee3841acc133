import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct WithLatestFromTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func combine(_ a: String, _ b: String) -> (
        TestableObserver<Int>, TestableObservable<Int>, TestableObservable<Int>
    ) {
        let first = scheduler.hot(a)
        let second = scheduler.hot(b)
        let observer = scheduler.start { first.withLatestFrom(second) { $0 * 10 + $1 } }
        return (observer, first, second)
    }

    @Test func eachElementIsCombinedWithLatestOfSecond() {
        let (observer, first, second) = combine("--1-2-3-|", "---78--|")
        observer.expect("----a-b-|", values: ["a": 27, "b": 38])
        first.expectSubscriptions("^-------!")
        second.expectSubscriptions("^------!")
    }

    @Test(arguments: ["--1#", "--1-2"]) func eitherErrorEndsIt(first: String) {
        let (observer, _, second) = combine(first, "-7-#")
        observer.expect("--a#", values: ["a": 17], error: TestError.a)
        second.expectSubscriptions("^--!")
    }

    @Test func theLastElementOfACompletedSecondStays() {
        let (observer, _, _) = combine("{10}1{9}2{19}|", "-----7|")
        observer.expect("{10}a{9}b{19}|", values: ["a": 17, "b": 27])
    }

    @Test func withoutASelectorTheLatestIsSent() {
        let first = scheduler.hot("--1-2")
        let second = scheduler.hot("-7")
        scheduler.start { first.withLatestFrom(second) }.expect("--7-7")
    }

    @Test func aThrowingSelectorEndsIt() {
        let first = scheduler.hot("--1")
        let second = scheduler.hot("-7")
        let observer = scheduler.start { first.withLatestFrom(second) { _, _ -> Int in throw TestError.a } }
        observer.expect("--#", error: TestError.a)
        second.expectSubscriptions("^-!")
    }

    @Test func theSecondIsSubscribedFirstAndDisposedLast() {
        let log = Log()
        let first = PublishSubject<Int>().do(onSubscribe: { log("first+") }, onDispose: { log("first-") })
        let second = PublishSubject<Int>().do(onSubscribe: { log("second+") }, onDispose: { log("second-") })
        first.withLatestFrom(second).subscribe().dispose()
        #expect(log.text == "second+ first+ first- second-")
    }

    @Test func theSelectorIsNotAskedOnceTheSequenceHasEnded() {
        let (first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let answered = first.withLatestFrom(second) { (left: Int, right: Int) -> Int in
            log("asked \(left)\(right)")
            return left
        }
        _ = answered.take(1).subscribe(
            onNext: { log($0) },
            onCompleted: {
                log("completed")
                first.onNext(2)
            })
        second.onNext(7)
        first.onNext(1)
        #expect(log.text == "asked 17 1 completed")
    }

    @Test func theLatestIsFreedAtTheEnd() {
        let tracker = LifetimeTracker()
        let first = PublishSubject<Int>()
        let second = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = first.withLatestFrom(second).subscribe()
        defer { subscription.dispose() }
        second.onNext(tracker.make(1))
        second.onNext(tracker.make(2))
        #expect(tracker.live == 1)
        first.onCompleted()
        #expect(tracker.live == 0)
    }
}
