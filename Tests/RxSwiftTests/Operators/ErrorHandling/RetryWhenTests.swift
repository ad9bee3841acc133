import RxSwift
import RxTest
import TestSupport
import Testing

struct RetryWhenTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func retrying<Trigger: ObservableType>(
        _ text: String, when handler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Outcome<Int> {
        let source = scheduler.cold(text)
        let observer = scheduler.start { source.retry(when: handler) }
        return Outcome(observer, source)
    }

    @Test func anElementSubscribesAgain() {
        let scheduler = scheduler
        let result = retrying("{10}1{9}#") { errors in
            errors.enumerated().flatMap {
                $0.index < 2 ? Observable<Int>.timer(.seconds(50), scheduler: scheduler) : .never()
            }
        }
        result.expect("{10}1{69}1{69}1", subscribed: "^{19}!", "{70}^{19}!", "{140}^{19}!")
    }

    @Test func aTerminalEventEndsIt() {
        retrying("--1-#") { errors in errors.flatMap { Observable<Int>.error($0) } }
            .expect("--1-#", subscribed: "^---!")
    }

    @Test func triggerElementBeforeErrorIsIgnored() {
        retrying("--1-#") { _ in Observable.just(0) }.expect("--1-|", subscribed: "^---!")
    }

    @Test func aTriggerThatFailsDoesNotEndARunningSource() {
        retrying("--1-|") { _ in Observable<Int>.error(TestError.b) }.expect("--1-|", subscribed: "^---!")
    }

    @Test func aTriggerThatHasFailedEndsItWithItsErrorOnceTheSourceFails() {
        let source = scheduler.cold("--1-#")
        scheduler.start { source.retry { (_: Observable<any Error>) in Observable<Int>.error(TestError.b) } }
            .expect("--1-#", error: TestError.b)
    }

    @Test func triggerErrorWhileWaitingEndsRetryWithThatError() {
        let (source, trigger) = (scheduler.cold("--1-#"), PublishSubject<Int>())
        scheduler.scheduleAt(206) { trigger.onError(TestError.b) }
        scheduler.start { source.retry { (_: Observable<any Error>) in trigger } }
            .expect("--1---#", error: TestError.b)
        #expect(!trigger.hasObservers)
    }

    @Test func aTriggerThatNeverFiresLeavesItWaiting() {
        retrying("--1-#") { _ in Observable<Int>.never() }.expect("--1", subscribed: "^---!")
    }

    @Test func onlyTheFirstElementAfterAnErrorSubscribesAgain() {
        let (source, trigger) = (scheduler.cold("--#"), scheduler.hot("---00"))
        scheduler.start { source.retry { (_: Observable<any Error>) in trigger } }.expect("")
        source.expectSubscriptions("^-!", "---^-!")
    }

    @Test func errorsOfAnotherTypeEndIt() {
        let source = scheduler.cold("--1-#")
        scheduler.start { source.retry { (errors: Observable<RxError>) in errors } }
            .expect("--1-#", error: TestError.a)
    }

    @Test func errorsOfTheTypeAreRetried() {
        let source = scheduler.cold("--1-#")
        let observer = scheduler.start { source.retry { (errors: Observable<TestError>) in errors.take(2) } }
        source.expectSubscriptions("^---!", "----^---!", "--------^---!")
        observer.expect("--1---1---1-|")
    }

    // MARK: A source that fails during `subscribe`

    private static let failingAtOnce = Observable<Int>.deferred {
        Observable.just(1).concat(Observable<Int>.error(TestError.a))
    }

    @Test func triggerEndDuringSubscribePrecedesPendingAttempt() {
        scheduler.start { Self.failingAtOnce.retry { (errors: Observable<any Error>) in errors.take(1) } }
            .expect("(1|)")
    }

    @Test func triggerErrorDuringSubscribePrecedesPendingAttempt() {
        scheduler.start {
            Self.failingAtOnce.retry { (errors: Observable<any Error>) in
                errors.enumerated().flatMap {
                    $0.index == 0 ? .just(1) : Observable.just(1).concat(Observable<Int>.error(TestError.b))
                }
            }
        }
        .expect("(11#)", error: TestError.b)
    }

    @Test func triggerEndAfterElementKeepsAttemptOfLaterFailure() {
        retrying("--1-#") { errors in errors.take(1) }.expect("--1---1-|", subscribed: "^---!", "----^---!")
    }

    @Test func triggerErrorAfterElementKeepsAttemptOfLaterFailure() {
        let source = scheduler.cold("--1-#")
        scheduler.start {
            source.retry { (errors: Observable<any Error>) in
                errors.flatMap { _ in Observable.just(1).concat(Observable<Int>.error(TestError.b)) }
            }
        }
        .expect("--1---1-#", error: TestError.b)
        source.expectSubscriptions("^---!", "----^---!")
    }

    @Test func triggerEndDuringAttemptDoesNotEndIt() {
        let (source, trigger) = (scheduler.cold("--1-#"), PublishSubject<Int>())
        scheduler.scheduleAt(206) { trigger.onNext(0) }
        scheduler.scheduleAt(207) { trigger.onCompleted() }
        scheduler.start { source.retry { (_: Observable<any Error>) in trigger } }.expect("--1-----1-|")
    }

    @Test func secondTriggerElementBeforeAttemptIsIgnored() {
        nonisolated(unsafe) var attempts = 0
        let source = Observable<Int>.deferred {
            attempts += 1
            return Observable.just(attempts).concat(Observable<Int>.error(TestError.a))
        }
        scheduler.start {
            source.retry { (errors: Observable<any Error>) in
                errors.enumerated().flatMap { failure in
                    Observable<Int>.create { observer in
                        if failure.index == 0 { for _ in 1...2 { observer.onNext(0) } }
                        return Disposables.create()
                    }
                }
            }
        }
        .expect("(12)")
    }

    @Test func triggerEndDuringSubscribeFreesEverything() {
        let tracker = LifetimeTracker()
        do {
            let source = Self.failingAtOnce.map { [tracked = tracker.make()] _ in "\(tracked)" }
            _ = source.retry { (errors: Observable<any Error>) in errors.take(1) }.subscribe()
        }
        #expect(tracker.live == 0)
    }

    @Test func retryWhenEndDuringSubscribeMayComeFromAnotherThread() throws {
        nonisolated(unsafe) var late: (any Error)?
        let log = Log()
        let trigger = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            observer.onError(TestError.a)
            trigger.onNext(0)
            do { try runOnThread { trigger.onCompleted() } } catch { late = error }
            return Disposables.create { log("-") }
        }
        source.retry { (_: Observable<any Error>) in trigger }.note(in: log).dispose()
        if let late { throw late }
        #expect(log.text == "completed -")
    }

    @Test func disposesTheSourceThenTheTrigger() {
        let log = Log()
        let source = PublishSubject<Int>()
        let trigger = PublishSubject<Int>()
        let retrying = source.noteLifetime(in: log, as: "a").retry { (_: Observable<any Error>) in
            trigger.noteLifetime(in: log, as: "t")
        }
        let subscription = retrying.noteLifetime(in: log, as: "c").note(in: log)
        #expect(log.take() == "c+ t+ a+")
        subscription.dispose()
        #expect(log.text == "a- t- c-")
    }

    @Test func triggerCausingDisposalDuringSubscribeIsStopped() {
        let (log, stop) = (Log(), PublishSubject<Void>())
        let trigger = Observable<Int>.create { observer in
            (1...3).forEach(observer.onNext)
            return Disposables.create()
        }
        .do(onNext: { number in
            log("t\(number)")
            stop.onNext(())
        })
        let retrying = Observable<Int>.never().retry { (_: Observable<any Error>) in trigger }
        retrying.take(until: stop).note(in: log).dispose()
        #expect(log.text == "t1 completed")
    }

    @Test func freesEverythingWithTheSubscription() {
        let tracker = LifetimeTracker()
        func start() -> any Disposable {
            let tracked = tracker.make()
            return Observable<Int>.error(TestError.a).retry { (errors: Observable<any Error>) in
                errors.flatMap { _ in withExtendedLifetime(tracked) { Observable<Int>.never() } }
            }.subscribe()
        }
        let subscription = start()
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func manyAttemptsFitSmallStack() throws {
        let attempts = try runOnSmallThread {
            nonisolated(unsafe) var attempts = 0
            let source = Observable<Int>.deferred {
                attempts += 1
                return attempts < 100_000 ? .error(TestError.a) : .just(attempts)
            }
            _ = source.retry { (errors: Observable<any Error>) in errors.map { _ in 0 } }.subscribe()
            return attempts
        }
        #expect(attempts == 100_000)
    }

    // MARK: References

    @Test(arguments: [true, false]) func releasedSourceFreesEverything(hasFailed: Bool) {
        let tracker = LifetimeTracker()
        nonisolated(unsafe) var heads: [AnyObserver<Int>] = []
        _ = Observable.create { head in
            heads.append(head)
            return Disposables.create()
        }
        .retry { errors in errors.map { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} } }
        .subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
        if hasFailed { heads[0].onError(TestError.a) }
        #expect(tracker.live == 2 && heads.count == (hasFailed ? 2 : 1))
        heads = []
        #expect(tracker.live == 0)
    }

    @Test func disposalWhileWaitingFreesEverything() {
        let tracker = LifetimeTracker()
        let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = source.retry { (errors: Observable<any Error>) in errors.flatMap { _ in trigger } }
            .subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
        source.onError(TestError.a)
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func disposalAfterReleasedTriggerFreesEverything() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<Int>()
        let subscription = source.retry { (_: Observable<any Error>) in Observable<Int>.never() }
            .subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
        source.onError(TestError.a)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func theErrorOfATriggerThatHasFailedBeforeIsThatOfTheSequence() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.retry(when: { (_: Observable<any Error>) in Observable<Int>.error(TestError.b) })
            .note(in: log)
        source.onNext(1)
        source.onError(TestError.a)
        #expect(log.text == "1 error(b)")
        subscription.dispose()
    }
}
