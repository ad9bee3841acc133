import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct CombineLatestTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func combine(_ a: String, _ b: String) -> (
        TestableObserver<Int>, TestableObservable<Int>, TestableObservable<Int>
    ) {
        let first = scheduler.hot(a)
        let second = scheduler.hot(b)
        let observer = scheduler.start { Observable.combineLatest(first, second) { $0 * 10 + $1 } }
        return (observer, first, second)
    }

    @Test func itSendsWithEachElementOnceAllHaveSent() {
        let (observer, first, second) = combine("--1---3-|", "----4-----5-|")
        observer.expect("----a-b---c-|", values: ["a": 14, "b": 34, "c": 35])
        first.expectSubscriptions("^-------!")
        second.expectSubscriptions("^-----------!")
    }

    @Test func theFirstErrorEndsIt() {
        let (observer, first, _) = combine("--1---3", "----4#")
        observer.expect("----a#", values: ["a": 14], error: TestError.a)
        first.expectSubscriptions("^----!")
    }

    @Test func elementAfterSourceEndedEmptyCompletes() {
        let (observer, _, second) = combine("---|", "--1-4---------------|")
        observer.expect("----|")
        second.expectSubscriptions("^---!")
    }

    @Test func elementWithoutPossibleRowCompletesAfterOtherSources() {
        let (log, b, c) = (Log(), PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = Observable.combineLatest([.empty(), b, c]).note(in: log)
        b.onNext(1)
        b.onCompleted()
        log("b")
        c.onNext(2)
        #expect(log.text == "b completed")
        subscription.dispose()
    }

    @Test func theLastElementOfASourceThatHasCompletedStays() {
        let (observer, _, _) = combine("--1|", "----4-5-------------|")
        observer.expect("----a-b-------------|", values: ["a": 14, "b": 15])
    }

    @Test func emptyCollectionEndsWithSelectorError() {
        let rows = Observable<Int>.combineLatest([Observable<Int>]()) { (_: [Int]) throws -> Int in throw TestError.a }
        #expect(seen(rows) == "error(a)")
    }

    @Test func aThrowingSelectorEndsIt() {
        let source = scheduler.hot("--1-2")
        let observer = scheduler.start {
            Observable.combineLatest(source, source) { a, _ -> Int in
                if a == 2 { throw TestError.a }
                return a
            }
        }
        observer.expect("--1-#", error: TestError.a)
        source.expectSubscriptions("^---!", "^---!")
    }

    @Test func withoutSourcesItSendsOnceAndCompletes() {
        let observer = scheduler.start { Observable.combineLatest([] as [Observable<Int>]) { $0.count } }
        observer.expect("(0|)")
    }

    @Test func aCollectionGivesTheElementsInTheOrderOfTheSources() {
        let sources = ["------0---|", "----1-----|", "--2-------|"].map { scheduler.hot($0) }
        let observer = scheduler.start { Observable.combineLatest(sources) }
        observer.expect("------a---|", values: ["a": [0, 1, 2]])
    }

    @Test func otherSourcesAreDisposedInOrderAfterError() {
        let log = Log()
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let sources = subjects.enumerated().map { index, subject in subject.do(onDispose: { log("\(index)-") }) }
        let subscription = Observable.combineLatest(sources).subscribe(
            onError: { _ in log("error") }, onDisposed: { log("disposed") })
        defer { subscription.dispose() }
        subjects[1].onError(TestError.a)
        #expect(log.text == "error disposed 0- 1- 2-")
    }

    @Test func aSourceGivenAsAnArgumentIsDisposedBeforeItsErrorIsSent() {
        let log = Log()
        let subjects = (0..<2).map { _ in PublishSubject<Int>() }
        let sources = subjects.enumerated().map { index, subject in subject.do(onDispose: { log("\(index)-") }) }
        let subscription = Observable.combineLatest(sources[0], sources[1]).subscribe(onError: { _ in log("error") })
        defer { subscription.dispose() }
        subjects[1].onError(TestError.a)
        #expect(log.text == "1- error 0-")
    }

    @Test func everyArityKeepsTheOrderOfItsSources() {
        let s = (1...8).map { Observable.just($0) }
        let log = Log()
        _ = Observable.combineLatest(s[0], s[1]).subscribe(onNext: { log($0) })
        _ = Observable.combineLatest(s[0], s[1], s[2]).subscribe(onNext: { log($0) })
        _ = Observable.combineLatest(s[0], s[1], s[2], s[3]).subscribe(onNext: { log($0) })
        _ = Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).subscribe(onNext: { log($0) })
        _ = Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).subscribe(onNext: { log($0) })
        _ = Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).subscribe(onNext: { log($0) })
        _ = Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).subscribe(onNext: { log($0) })
        #expect(
            log.entries == [
                "(1, 2)", "(1, 2, 3)", "(1, 2, 3, 4)", "(1, 2, 3, 4, 5)", "(1, 2, 3, 4, 5, 6)", "(1, 2, 3, 4, 5, 6, 7)",
                "(1, 2, 3, 4, 5, 6, 7, 8)",
            ])
    }

    @Test func anElementPushedByTheObserverIsDeliveredNested() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = Log()
        let subscription = Observable.combineLatest(first, second) { $0 * 10 + $1 }.subscribe(onNext: { element in
            log("s\(element)")
            if element < 30 { first.onNext(element / 10 + 1) }
            log("e\(element)")
        })
        defer { subscription.dispose() }
        first.onNext(1)
        second.onNext(0)
        #expect(log.text == "s10 s20 s30 e30 e20 e10")
    }

    @Test(arguments: [false, true]) func valuesAreFreedAtTheEnd(byDisposal: Bool) {
        let tracker = LifetimeTracker()
        let first = PublishSubject<LifetimeTracker.Tracked>()
        let second = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = Observable.combineLatest(first, second) { $0.value + $1.value }.subscribe(onError: { _ in })
        for value in 0..<3 { first.onNext(tracker.make(value)) }
        second.onNext(tracker.make(0))
        #expect(tracker.live == 2)
        if byDisposal { subscription.dispose() } else { second.onError(TestError.a) }
        #expect(tracker.live == 0)
        _ = subscription
    }

    @Test func selectorIsNotCalledAfterDisposalByReplacedValue() {
        let (first, second) = (PublishSubject<LifetimeTracker.Tracked>(), PublishSubject<Int>())
        let (tracker, log, subscription) = (LifetimeTracker(), Log(), SerialDisposable())
        subscription.disposable = Observable.combineLatest(first, second) { tracked, _ -> Int in
            log(tracked.value)
            return tracked.value
        }.subscribe()
        second.onNext(0)
        first.onNext(tracker.make(1, onDeinit: { subscription.dispose() }))
        first.onNext(tracker.make(2))
        #expect(log.text == "1")
    }

    @Test func threadsDeliverOneResultForEachElementOneAtATime() throws {
        let subjects = (0..<4).map { _ in PublishSubject<Int>() }
        nonisolated(unsafe) var results: [Int] = []
        let subscription = Observable.combineLatest(subjects) { $0.reduce(0, +) }.subscribe(onNext: {
            results.append($0)
        })
        for subject in subjects { subject.onNext(0) }
        try runConcurrently(threads: 4) { index in
            for value in 1...2000 { subjects[index].onNext(value) }
        }
        // Each element raises the sum by one.
        #expect(results == Array(0...8000))
        subscription.dispose()
    }

    @Test func aLazyCollectionMakesEachSourceOnceForASubscription() {
        let log = Log()
        let sources = [1, 2].lazy.map { number in
            log(number)
            return Observable.just(number)
        }
        Observable.combineLatest(sources).subscribe(onNext: { log($0) }).dispose()
        #expect(log.text == "1 2 [1, 2]")
    }

    @Test func aSourceOfACollectionThatCompletesIsDisposedOfAtOnce() {
        let (first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let subscription = Observable.combineLatest([first.noteLifetime(in: log, as: "a"), second.asObservable()])
            .note(in: log)
        first.onCompleted()
        #expect(log.text == "a+ a-")
        subscription.dispose()
    }
}
