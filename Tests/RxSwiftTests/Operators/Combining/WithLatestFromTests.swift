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

    @Test func eachElementIsAnsweredWithTheLatest() {
        let (observer, first, second) = combine("210:1 220:2 230:3 240|", "215:7 220:8 235|")
        #expect(observer.marble == "220:27 230:38 240|")
        #expect(first.subscribed == "(200: 240)")
        #expect(second.subscribed == "(200: 235)")
    }

    @Test(arguments: ["210:1 215!", "210:1 220:2"]) func eitherErrorEndsIt(first: String) {
        let (observer, _, second) = combine(first, "205:7 215!")
        #expect(observer.marble == "210:17 215!")
        #expect(second.subscribed == "(200: 215)")
    }

    @Test func theLastElementOfACompletedSecondStays() {
        let (observer, _, _) = combine("210:1 220:2 240|", "205:7 206|")
        #expect(observer.marble == "210:17 220:27 240|")
    }

    @Test func withoutASelectorTheLatestIsSent() {
        let first = scheduler.hot("210:1 220:2")
        let second = scheduler.hot("205:7")
        #expect(scheduler.start { first.withLatestFrom(second) }.marble == "210:7 220:7")
    }

    @Test func aThrowingSelectorEndsIt() {
        let first = scheduler.hot("210:1")
        let second = scheduler.hot("205:7")
        let observer = scheduler.start { first.withLatestFrom(second) { _, _ -> Int in throw TestError.a } }
        #expect(observer.marble == "210!")
        #expect(second.subscribed == "(200: 210)")
    }

    @Test func theSecondIsSubscribedFirstAndDisposedLast() {
        let log = Log()
        let first = PublishSubject<Int>().do(onSubscribe: { log("first+") }, onDispose: { log("first-") })
        let second = PublishSubject<Int>().do(onSubscribe: { log("second+") }, onDispose: { log("second-") })
        first.withLatestFrom(second).subscribe().dispose()
        #expect(log.text == "second+ first+ first- second-")
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
