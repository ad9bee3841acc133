import RxSwift
import RxTest
import TestSupport
import Testing

struct SequentialCoordinatorTests {
    private let log = Log()
    private let source = PublishSubject<Int>()
    private let scheduler = TestScheduler(initialClock: 0)

    private var first: Observable<Int> { source.noteLifetime(in: log, as: "a") }

    private func second(_ source: Observable<Int> = .of(9)) -> Observable<Int> {
        source.noteLifetime(in: log, as: "o")
    }

    /// Calls `end`, which ends the first source, and returns the new entries of the log.
    private func order(_ taken: Observable<Int>, _ end: () -> Void) -> String {
        let subscription = taken.noteLifetime(in: log, as: "b").note(in: log)
        _ = log.take()
        end()
        defer { subscription.dispose() }
        return log.text
    }

    @Test func catchHandlerSequenceIsDisposedLast() {
        #expect(order(first.catch { _ in second() }) { source.onError(TestError.a) } == "o+ 9 completed a- b- o-")
    }

    @Test func ifEmptySequenceIsDisposedLast() {
        #expect(order(first.ifEmpty(switchTo: second())) { source.onCompleted() } == "o+ 9 completed a- b- o-")
    }

    @Test func timeoutSequenceIsDisposedLast() {
        let taken = first.timeout(.seconds(5), other: second(), scheduler: scheduler)
        #expect(order(taken) { scheduler.start() } == "o+ 9 completed a- b- o-")
    }

    @Test func concatenatedSequenceIsDisposedBeforeCompletion() {
        #expect(order(first.concat(second())) { source.onCompleted() } == "a- o+ 9 o- completed b-")
    }

    @Test func failedConcatenatedSequenceIsDisposedLast() {
        let failing = Observable.of(9).concat(Observable<Int>.error(TestError.a))
        #expect(order(first.concat(second(failing))) { source.onCompleted() } == "a- o+ 9 error(a) b- o-")
    }

    @Test func anAttemptThatFailsIsDisposedBeforeTheErrorIsPassedOn() {
        let source = Observable<Int>.create { observer in
            observer.onError(TestError.a)
            return Disposables.create { [log] in log("torn") }
        }
        _ = source.retry(2).note(in: log)
        #expect(log.text == "torn torn error(a)")
    }

    @Test func theLastAttemptThatCompletesIsDisposedLast() {
        nonisolated(unsafe) var attempts = 0
        let source = Observable.deferred { [source, log] in
            attempts += 1
            return attempts == 1 ? source : Observable.of(9).noteLifetime(in: log, as: "o")
        }
        #expect(order(source.retry(2)) { self.source.onError(TestError.a) } == "o+ 9 completed b- o-")
    }

    @Test func lastInnerSequenceOfConcatIsDisposedLast() {
        let outer = Observable.of(first, second()).concat()
        #expect(order(outer) { source.onCompleted() } == "a- o+ 9 completed b- o-")
    }

    @Test func theLastOfAConcatenationIsDisposedOfAfterTheCompletion() {
        let last = PublishSubject<Int>()
        let text = order(first.concat(last.noteLifetime(in: log, as: "l"))) {
            source.onCompleted()
            last.onCompleted()
        }
        #expect(text == "a- l+ completed l- b-")
    }

    @Test func sequenceDisposedWhileSubscribingIsDisposedAtOnce() {
        let endless = first.catch { _ in second(.repeatElement(9)) }.take(2)
        #expect(order(endless) { source.onError(TestError.a) } == "o+ 9 9 completed a- o- b-")
    }

    @Test func elementAfterEndOfSourceIsDropped() {
        let ending = source.map { [source] element in
            source.onCompleted()
            return element
        }
        let other = PublishSubject<Int>()
        let failing = other.map { element in
            other.onError(TestError.a)
            return element
        }
        let subscription = Disposables.create(
            ending.concat(Observable.never()).note(in: log),
            failing.catch { _ in Observable<Int>.never() }.note(in: log))
        source.onNext(1)
        other.onNext(1)
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func concatenatedJustDeliversAtOnceInsideTrampoline() {
        let subscription = source.concat(Observable.just(9)).note(in: log)
        let action = CurrentThreadScheduler.instance.schedule(()) { [source, log] _ in
            source.onCompleted()
            log("after")
            return Disposables.create()
        }
        #expect(log.text == "9 completed after")
        action.dispose()
        subscription.dispose()
    }

    @Test func concatenatedJustWaitsDuringPause() {
        nonisolated(unsafe) var sent = 0
        let subscription = Observable.concat((0..<9).map { Observable.just($0) }).do(onNext: { _ in sent += 1 })
            .observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        #expect(sent == 2)
        scheduler.start()
        #expect(log.text == "0 1 2 3 4 5 6 7 8 completed")
        subscription.dispose()
    }

    private func atOnce(_ number: Int) -> Observable<Int> {
        Observable.just(number).map { $0 }.noteLifetime(in: log, as: "\(number)")
    }

    @Test func pausedConcatRunsOneImmediateSourcePerResume() {
        let valve = TestValve(on: scheduler)
        valve.set(isPaused: true)
        let subscription = valve.above(Observable.concat((1...5).map { atOnce($0) })).subscribe(
            onNext: { [log] in
                log($0)
                valve.set(isPaused: true)
            }, onCompleted: { [log] in log("completed") })
        #expect(log.take() == "1+ 1 1-")
        // Although element 2 pauses the chain, source 3 still runs.
        valve.set(isPaused: false)
        #expect(log.take() == "2+ 2 2- 3+ 3 3-")
        valve.set(isPaused: false)
        #expect(log.take() == "4+ 4 4- 5+ 5 5- completed")
        subscription.dispose()
    }

    @Test func sourceWaitingForResumeRunsOnce() {
        let valve = TestValve(on: scheduler)
        valve.set(isPaused: true)
        let subscription = valve.above(Observable.concat([atOnce(1), atOnce(2), .never()])).note(in: log)
        #expect(log.take() == "1+ 1 1-")
        valve.set(isPaused: false)
        #expect(log.take() == "2+ 2 2-")
        valve.set(isPaused: true)
        valve.set(isPaused: false)
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func theFirstThatFollowsInAPauseIsSubscribedAtOnce() {
        let valve = TestValve(on: scheduler)
        let subscription = valve.above(Observable.just(1).concat(source)).subscribe(onNext: { _ in
            valve.set(isPaused: true)
        })
        #expect(source.hasObservers)
        subscription.dispose()
    }

    @Test func sourcesThatTakeTheirTimeFollowOneAnotherInAPause() {
        let (valve, second, third) = (TestValve(on: scheduler), PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = valve.above(Observable.concat(source, second, third)).subscribe()
        valve.set(isPaused: true)
        source.onCompleted()
        second.onCompleted()
        #expect(third.hasObservers)
        subscription.dispose()
    }

    @Test func concatSubscribesToDeferredSourceDuringPause() {
        let (valve, second, third) = (TestValve(on: scheduler), PublishSubject<Int>(), PublishSubject<Int>())
        let deferred = Observable.deferred { third.asObservable() }
        let subscription = valve.above(Observable.concat(source, second, deferred)).subscribe()
        valve.set(isPaused: true)
        source.onCompleted()
        second.onCompleted()
        #expect(third.hasObservers)
        subscription.dispose()
    }

    @Test func theEndAfterASourceThatSendsAtOnceIsNotPaused() {
        let valve = TestValve(on: scheduler)
        valve.set(isPaused: true)
        let subscription = valve.above(Observable.concat([atOnce(1)])).note(in: log)
        #expect(log.text == "1+ 1 1- completed")
        subscription.dispose()
    }

    @Test func sourceWaitingForResumeIsFreedOnDisposal() {
        let (valve, tracker) = (TestValve(on: scheduler), LifetimeTracker())
        valve.set(isPaused: true)
        let subscription = valve.above(
            Observable.concat(
                sequence(state: 0) { [held = tracker.make()] (count: inout Int) in
                    count += 1
                    return withExtendedLifetime(held) { Observable.just(count).map { $0 } }
                })
        ).note(in: log)
        #expect(log.text == "1" && tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
        valve.set(isPaused: false)
        scheduler.start()
        #expect(log.text == "1")
    }

    @Test func sourceWaitingForResumeOnShutDownSchedulerIsDisposed() {
        let thread = PthreadScheduler(name: "dropping")
        thread.shutdown(.drop)
        let valve = TestValve(on: thread)
        valve.set(isPaused: true)
        let row = Observable.concat([atOnce(1), atOnce(2)]).noteLifetime(in: log, as: "row")
        let subscription = valve.above(row).subscribe()
        #expect(log.take() == "row+ 1+ 1-")
        valve.set(isPaused: false)
        #expect(log.text == "row-")
        subscription.dispose()
    }
}
