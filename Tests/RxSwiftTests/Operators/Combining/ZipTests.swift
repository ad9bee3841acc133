import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ZipTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func zip(_ a: String, _ b: String) -> (
        TestableObserver<Int>, TestableObservable<Int>, TestableObservable<Int>
    ) {
        let first = scheduler.hot(a)
        let second = scheduler.hot(b)
        let observer = scheduler.start { Observable.zip(first, second) { $0 * 10 + $1 } }
        return (observer, first, second)
    }

    @Test func rowIsSentOnceComplete() {
        let (observer, first, second) = zip("--1-2-3-|", "---4---5--6-|")
        observer.expect("---a---b--c-|", values: ["a": 14, "b": 25, "c": 36])
        first.expectSubscriptions("^-------!")
        second.expectSubscriptions("^-----------!")
    }

    @Test func argumentsCompleteOnlyTogether() {
        let (observer, _, second) = zip("--1-|", "---4-5--------------|")
        observer.expect("---a----------------|", values: ["a": 14])
        second.expectSubscriptions("^-------------------!")
    }

    @Test func collectionCompletesAtElementWithoutPartner() {
        let first = scheduler.hot("--1-|")
        let second = scheduler.hot("---4-5--------------|")
        scheduler.start { Observable.zip([first, second]) { $0.reduce(0, +) } }.expect("---5-|")
        second.expectSubscriptions("^----!")
    }

    @Test func withoutSourcesItCompletes() {
        scheduler.start { Observable.zip([] as [Observable<Int>]) }.expect("|")
    }

    @Test func theFirstErrorEndsIt() {
        let (observer, first, second) = zip("--1-------|", "------#")
        observer.expect("------#", error: TestError.a)
        first.expectSubscriptions("^-----!")
        second.expectSubscriptions("^-----!")
    }

    @Test func aThrowingSelectorEndsIt() {
        let source = scheduler.hot("--1-2")
        let observer = scheduler.start {
            Observable.zip(source, source) { a, _ -> Int in
                if a == 2 { throw TestError.a }
                return a
            }
        }
        observer.expect("--1-#", error: TestError.a)
        source.expectSubscriptions("^---!", "^---!")
    }

    @Test func everyArityKeepsTheOrderOfItsSources() {
        let s = (1...8).map { Observable.just($0) }
        let log = Log()
        _ = Observable.zip(s[0], s[1]).subscribe(onNext: { log($0) })
        _ = Observable.zip(s[0], s[1], s[2]).subscribe(onNext: { log($0) })
        _ = Observable.zip(s[0], s[1], s[2], s[3]).subscribe(onNext: { log($0) })
        _ = Observable.zip(s[0], s[1], s[2], s[3], s[4]).subscribe(onNext: { log($0) })
        _ = Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]).subscribe(onNext: { log($0) })
        _ = Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).subscribe(onNext: { log($0) })
        _ = Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).subscribe(onNext: { log($0) })
        #expect(
            log.entries == [
                "(1, 2)", "(1, 2, 3)", "(1, 2, 3, 4)", "(1, 2, 3, 4, 5)", "(1, 2, 3, 4, 5, 6)", "(1, 2, 3, 4, 5, 6, 7)",
                "(1, 2, 3, 4, 5, 6, 7, 8)",
            ])
    }

    @Test func inEveryArityArgumentsCompleteOnlyTogether() {
        let (none, last) = (Observable<Int>.empty(), PublishSubject<Int>())
        let rows = [
            Observable.zip(none, last) { _, _ in 0 },
            Observable.zip(none, none, last) { _, _, _ in 0 },
            Observable.zip(none, none, none, last) { _, _, _, _ in 0 },
            Observable.zip(none, none, none, none, last) { _, _, _, _, _ in 0 },
            Observable.zip(none, none, none, none, none, last) { _, _, _, _, _, _ in 0 },
            Observable.zip(none, none, none, none, none, none, last) { _, _, _, _, _, _, _ in 0 },
            Observable.zip(none, none, none, none, none, none, none, last) { _, _, _, _, _, _, _, _ in 0 },
        ]
        let log = Log()
        for row in rows { _ = row.note(in: log) }
        last.onNext(1)
        #expect(log.text == "")
        last.onCompleted()
        #expect(log.entries == rows.map { _ in "completed" })
    }

    @Test(arguments: [false, true]) func waitingElementsAreFreedAtTheEnd(byDisposal: Bool) {
        let tracker = LifetimeTracker()
        let first = PublishSubject<LifetimeTracker.Tracked>()
        let second = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = Observable.zip(first, second).subscribe(onError: { _ in })
        for value in 0..<9 { first.onNext(tracker.make(value)) }
        second.onNext(tracker.make(0))
        #expect(tracker.live == 8)
        if byDisposal { subscription.dispose() } else { second.onError(TestError.a) }
        #expect(tracker.live == 0)
    }

    @Test(arguments: [false, true]) func elementsThatCannotPairAreFreed(endsLast: Bool) {
        let tracker = LifetimeTracker()
        let first = PublishSubject<LifetimeTracker.Tracked>()
        let second = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = Observable.zip(first, second).subscribe()
        defer { subscription.dispose() }
        if endsLast { second.onNext(tracker.make()) }
        if endsLast { second.onCompleted() }
        for value in 0..<9 { first.onNext(tracker.make(value)) }
        if !endsLast { second.onCompleted() }
        #expect(tracker.live == 0)
    }

    @Test func waitingElementsAreFreedByLastPossibleRow() {
        let tracker = LifetimeTracker()
        let subjects = (0..<3).map { _ in PublishSubject<LifetimeTracker.Tracked>() }
        let subscription = Observable.zip(subjects[0], subjects[1], subjects[2]).subscribe()
        defer { subscription.dispose() }
        subjects[0].onNext(tracker.make())
        subjects[0].onCompleted()
        for value in 0..<9 { subjects[1].onNext(tracker.make(value)) }
        #expect(tracker.live == 10)
        subjects[2].onNext(tracker.make())
        #expect(tracker.live == 0)
    }

    /// If each end checked every source, the test would take minutes.
    @Test func theEndsOfManySourcesCostTheSameEach() throws {
        let ended = try runOnThread(timeout: 20) {
            let subjects = (0..<20_000).map { _ in PublishSubject<Int>() }
            nonisolated(unsafe) var hasEnded = false
            let subscription = Observable.zip(subjects).subscribe(onCompleted: { hasEnded = true })
            for subject in subjects { subject.onCompleted() }
            subscription.dispose()
            return hasEnded
        }
        #expect(ended)
    }

    @Test func theSelectorIsNotAskedOnceTheSequenceHasEnded() {
        let (first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let zipped = Observable.zip(first, second) { (left: Int, right: Int) -> Int in
            log("asked \(left)\(right)")
            return left
        }
        _ = zipped.take(1).subscribe(
            onNext: { log($0) },
            onCompleted: {
                log("completed")
                first.onNext(2)
                second.onNext(2)
            })
        first.onNext(1)
        second.onNext(1)
        #expect(log.text == "asked 11 1 completed")
    }

    @Test func anElementPushedBySelectorAndObserverIsNestedAndLosesNothing() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = Log()
        let subscription = Observable.zip(first, second) { $0 * 10 + $1 }.subscribe(onNext: { element in
            log("s\(element)")
            if element < 33 {
                first.onNext(element / 10 + 1)
                second.onNext(element / 10 + 1)
            }
            log("e\(element)")
        })
        defer { subscription.dispose() }
        first.onNext(1)
        second.onNext(1)
        #expect(log.text == "s11 s22 s33 e33 e22 e11")
    }

    @Test func threadsFillEveryRowInOrder() throws {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        nonisolated(unsafe) var rows: [Int] = []
        let subscription = Observable.zip(subjects[0], subjects[1], subjects[2]) { a, b, c in a == b && b == c ? a : -1
        }
        .subscribe(onNext: { rows.append($0) })
        try runConcurrently(threads: 3) { index in
            for value in 0..<3000 { subjects[index].onNext(value) }
        }
        #expect(rows == Array(0..<3000))
        subscription.dispose()
    }

    @Test func aLazyCollectionMakesEachSourceOnceForASubscription() {
        let log = Log()
        let sources = [1, 2].lazy.map { number in
            log(number)
            return Observable.just(number)
        }
        Observable.zip(sources).subscribe(onNext: { log($0) }).dispose()
        #expect(log.text == "1 2 [1, 2]")
    }
}
