import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct FlatMapLatestTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("--1-2---------------|", "---1-3-4------------|", "^-------------------!"),
        ("--1-2|", "---1-3-4|", "^----!"),
    ])
    func latestInnerSequenceIsSentUntilBothComplete(outer: String, expected: String, subscribed: String) {
        let source = scheduler.hot(outer)
        let inner = ["-1-2|", "-3-4|"].map { scheduler.cold($0) }
        let observer = scheduler.start { source.flatMapLatest { inner[$0 - 1] } }
        observer.expect(expected)
        source.expectSubscriptions(subscribed)
        inner[0].expectSubscriptions("--^-!")
        inner[1].expectSubscriptions("----^---!")
    }

    @Test(arguments: [("--1-#", "----------|", "----#"), ("--1", "-0#", "---0#")])
    func eitherErrorEndsIt(outer: String, inner: String, expected: String) {
        let source = scheduler.hot(outer)
        let observer = scheduler.start { source.flatMapLatest { _ in scheduler.cold(inner) } }
        observer.expect(expected, error: TestError.a)
        source.expectSubscriptions("^---!")
    }

    @Test func aThrowingSelectorEndsIt() {
        let source = scheduler.hot("--1-2")
        let observer = scheduler.start {
            source.flatMapLatest { element -> Observable<Int> in
                if element == 2 { throw TestError.a }
                return .just(element)
            }
        }
        observer.expect("--1-#", error: TestError.a)
    }

    @Test func previousInnerSequenceIsDisposedBeforeNextIsSubscribed() {
        let log = Log()
        let source = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let subscription = source.do(onDispose: { log("outer-") })
            .flatMapLatest { n in inner.do(onSubscribe: { log("\(n)+") }, onDispose: { log("\(n)-") }) }
            .subscribe(onCompleted: { log("completed") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(2)
        inner.onCompleted()
        source.onCompleted()
        #expect(log.text == "1+ 1- 2+ 2- outer- completed")
    }

    @Test func itCompletesAfterAJustIsDelivered() {
        let source = PublishSubject<Int>()
        let log = Log()
        let subscription = source.flatMapLatest { Observable.just($0) }.subscribe(
            onNext: { element in
                source.onCompleted()
                log("next \(element)")
            }, onCompleted: { log("completed") })
        defer { subscription.dispose() }
        source.onNext(1)
        #expect(log.text == "next 1 completed")
    }

    @Test func elementPushedDuringDisposalOfPreviousSelectsInner() {
        let source = PublishSubject<Int>()
        let inner = (0..<3).map { _ in PublishSubject<Int>() }
        let log = Log()
        let subscription =
            source
            .flatMapLatest { n in
                inner[n].do(onDispose: {
                    log("\(n)-")
                    if n == 0 { source.onNext(2) }
                })
            }
            .subscribe(onNext: { log($0) })
        defer { subscription.dispose() }
        source.onNext(0)
        source.onNext(1)
        inner[1].onNext(10)
        inner[2].onNext(20)
        #expect(log.text == "0- 1- 20")
    }

    @Test func elementPushedWhileJustIsDeliveredIsNotMistakenForItsEnd() {
        let (source, inner, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let subscription =
            source
            .flatMapLatest { n -> Observable<Int> in n == 1 ? .just(n) : inner.asObservable() }
            .subscribe(
                onNext: { element in
                    log(element)
                    if element == 1 { source.onNext(2) }
                }, onCompleted: { log("completed") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onCompleted()
        inner.onNext(20)
        #expect(log.text == "1 20")
    }

    @Test func elementPushedDuringDisposalOfCompletedOneIsSent() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let inner = (0..<2).map { _ in PublishSubject<Int>() }
        let subscription = source.flatMapLatest { n in
            inner[n].do(onDispose: { if n == 0 { source.onNext(1) } })
        }.note(in: log)
        defer { subscription.dispose() }
        source.onNext(0)
        inner[0].onCompleted()
        source.onCompleted()
        inner[1].onNext(10)
        #expect(log.text == "10")
    }

    @Test func theOuterSourceIsNotPaused() {
        let outer = scheduler.createPausableObservable("-1--2", of: Int.self)
        let inner = scheduler.createPausableObservable("--7", of: Int.self)
        let observer = scheduler.start {
            outer.flatMapLatest { _ in inner.asObservable() }.paused(by: "--p----r", on: scheduler)
        }
        #expect(observer.events.map(\.value) == [.next(7)])
        outer.expectSignals("")
    }

    @Test func latestJustDuringPauseArrivesAtResume() {
        let outer = scheduler.hot("-1--23----|")
        scheduler.start { outer.flatMapLatest { Observable.just($0) }.paused(by: "--p----r", on: scheduler) }
            .expect("-1-----3--|")
    }

    @Test func justIsDroppedIfDisposalOfPreviousPushesNewerOne() {
        let (source, inner, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let subscription =
            source
            .flatMapLatest { n -> Observable<Int> in
                n == 0 ? inner.do(onDispose: { source.onNext(2) }) : .just(n)
            }
            .subscribe(onNext: { log($0) })
        defer { subscription.dispose() }
        source.onNext(0)
        source.onNext(1)
        #expect(log.text == "2")
    }

    @Test func flatMapLatest_errorWhileSelectorRuns_isDelivered() throws {
        let (outer, first, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let (isReplacing, hasFailed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let subscription = outer.flatMapLatest { number -> Observable<Int> in
            if number == 1 { return first }
            isReplacing.signal()
            _ = hasFailed.wait(timeout: .now() + 30)
            return .just(number)
        }.note(in: log)
        outer.onNext(1)
        startThread {
            isReplacing.wait()
            first.onError(TestError.a)
            hasFailed.signal()
        }
        outer.onNext(2)
        outer.onCompleted()
        #expect(log.text == "error(a)")
        subscription.dispose()
    }

    @Test func switchLatestFollowsTheLatestSequence() {
        let source = PublishSubject<Observable<Int>>()
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = Log()
        let subscription = source.switchLatest().subscribe(onNext: { log($0) }, onCompleted: { log("completed") })
        defer { subscription.dispose() }
        source.onNext(first)
        first.onNext(1)
        source.onNext(second)
        first.onNext(2)
        second.onNext(3)
        source.onCompleted()
        second.onCompleted()
        #expect(log.text == "1 3 completed")
    }

    @Test func aHundredThousandInnerSequencesFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            nonisolated(unsafe) var count = 0
            _ = Observable.range(start: 0, count: 100_000)
                .flatMapLatest { n in n % 2 == 0 ? Observable.just(n) : Observable.just(n).map { $0 } }
                .subscribe(onNext: { _ in count += 1 })
            return count
        }
        #expect(count == 100_000)
    }

    @Test func severalThreadsPushingDeliverLatestSerially() throws {
        let source = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        nonisolated(unsafe) var last = -1
        nonisolated(unsafe) var isRising = true
        let subscription = source.flatMapLatest { _ in inner }.subscribe(onNext: { element in
            isRising = isRising && element > last
            last = element
        })
        source.onNext(0)
        try runConcurrently(threads: 2) { index in
            for value in 0..<5000 { if index == 0 { source.onNext(value) } else { inner.onNext(value) } }
        }
        #expect(isRising)
        // While the threads push, `inner` may have no subscriber, so the last element is sent now.
        inner.onNext(5000)
        #expect(last == 5000)
        subscription.dispose()
        #expect(!inner.hasObservers)
        #expect(!source.hasObservers)
    }

    @Test func nextInnerSourceIsNotMadeAfterTeardownOfPreviousHasDisposed() {
        let (source, subscription, log) = (PublishSubject<Int>(), SerialDisposable(), Log())
        subscription.disposable = source.flatMapLatest { element -> Observable<Int> in
            if element == 0 { return Observable.never().do(onDispose: { subscription.dispose() }) }
            return .deferred {
                log("made")
                return .never()
            }
        }
        .subscribe()
        source.onNext(0)
        source.onNext(1)
        #expect(log.text == "")
    }
}
