import Foundation
import Logging
import RxResilience
internal import ServiceLifecycle
import Synchronization

/// A run of a service. Several events may end it; only the first has an effect.
///
/// - `state`: protected by its lock. No other code is called while the lock is held.
/// - `subscription`, `wait`, `cut` are thread-safe.
// @unchecked Sendable because of these guards; the service is immutable.
final class ServiceRun: @unchecked Sendable {
    private enum Phase {
        case running, draining
        case ended(Result<Void, any Error>)
    }

    private struct State {
        var phase = Phase.running
        /// The caller of `run()`. The thread that removes the continuation resumes it.
        var waiter: CheckedContinuation<Void, any Error>?
        var subscriber: pthread_t?
        /// Whether the run has ended, but `finish` has not yet reported it.
        var isReporting = false
        /// Whether the caller of `run()` is resumed after the report.
        var resumesAfterReport = false
    }

    private let service: RxService
    private let drain = Drain()
    private let state = Mutex(State())
    private let subscription = SingleAssignmentDisposable()
    /// The subscription to the end of the drain.
    private let wait = SingleAssignmentDisposable()
    /// Ends a pipeline whose `subscribe` has not returned, such as a cold source that loops in `subscribe`.
    private let cut = PublishSubject<Void>()

    init(_ service: RxService) {
        self.service = service
    }

    func end() async throws {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            state.withLock { $0.waiter = waiter }
            if hasEnded {
                resumeIfEnded()
            } else {
                // The task inherits the task-local values. It has its own thread, because blocking sources could block
                // all threads of a pool.
                Task(executorPreference: SubscribingExecutor()) { self.begin() }
            }
        }
    }

    /// Runs `action` later, even if the scheduler runs actions of `schedule` at once.
    func soon(_ action: @escaping @Sendable () -> Void) {
        _ = service.scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
            action()
            return Disposables.create()
        }
    }

    private func begin() {
        // If the shutdown has already begun, does not subscribe. The shutdown handler ends the run.
        if Task.isShuttingDownGracefully { return }
        guard !subscription.isDisposed else { return }
        state.withLock { $0.subscriber = pthread_self() }
        let subscribed = Result { try service.subscribe(drain, self) }
        if case .success(let pipeline) = subscribed { subscription.setDisposable(pipeline) }
        state.withLock { $0.subscriber = nil }
        if case .failure(let error) = subscribed {
            finish(.failure(error), left: drain.running, isOwnEnd: true)
        }
        resumeIfEnded()
    }

    /// Called when `subscribe` returns, at a shutdown, and on cancellation. During the report, only sets
    /// `resumesAfterReport`.
    private func resumeIfEnded() {
        let resume = state.withLock { state -> (() -> Void)? in
            state.resumesAfterReport = state.isReporting
            guard case .ended(let result) = state.phase, !state.isReporting, let waiter = state.waiter.take() else {
                return nil
            }
            return { waiter.resume(with: result) }
        }
        resume?()
    }

    private var hasEnded: Bool {
        state.withLock { if case .ended = $0.phase { true } else { false } }
    }

    func subscribe<Element>(to pipeline: Observable<Element>) -> any Disposable {
        // The run may have ended while the pipeline was made. `finish` sets the phase before it sends `cut`, and this
        // check follows the subscription to `cut`. So either `cut` or this check ends the pipeline.
        Observable.deferred { self.hasEnded ? .empty() : pipeline.counted(by: self.drain, as: "pipeline") }
            .take(until: cut)
            .subscribe(
                onError: { self.finish(.failure($0), left: self.drain.running, isOwnEnd: true) },
                onCompleted: { self.finish(.success(()), left: self.drain.running, isOwnEnd: true) })
    }

    func drainNow() {
        let isFirst = state.withLock { state in
            guard case .running = state.phase else { return false }
            state.phase = .draining
            return true
        }
        guard isFirst else { return resumeIfEnded() }
        service.logger.info("draining", metadata: ["rx.running": "\(drain.running)"])
        let end: Single<Drain.Leftover> = drain.stop(within: service.span, scheduler: service.scheduler)
        wait.setDisposable(end.subscribe(onSuccess: { self.finish(.success(()), left: $0) }))
    }

    func cancel() {
        finish(.failure(CancellationError()), left: drain.running)
        resumeIfEnded()
    }

    /// Ends the run, once.
    ///
    /// If the pipeline ends on the thread that is still in `subscribe`, the caller of `run()` is resumed when
    /// `subscribe` returns. Only then has the pipeline been torn down. A shutdown or a cancellation resumes the caller
    /// earlier, after the report. Every other end resumes the caller at once, because a source may block the
    /// subscribing thread for ever.
    ///
    /// `left` is the work that was running.
    private func finish(_ result: Result<Void, any Error>, left: Drain.Leftover, isOwnEnd: Bool = false) {
        let (isFirst, isTold, waiter) = state.withLock {
            state -> (Bool, Bool, CheckedContinuation<Void, any Error>?) in
            var isTold = !isOwnEnd
            switch state.phase {
            case .running: break
            case .draining:
                // During a drain, the pipeline's completion does not end the run: `drainNow` does, when all counted
                // work has ended or the span has passed.
                if isOwnEnd, case .success = result { return (false, false, nil) }
                isTold = true
            case .ended: return (false, false, nil)
            }
            state.phase = .ended(result)
            state.isReporting = isTold
            if let subscriber = state.subscriber, isOwnEnd, pthread_equal(subscriber, pthread_self()) != 0 {
                return (true, isTold, nil)
            }
            return (true, isTold, state.waiter.take())
        }
        guard isFirst else { return }
        wait.dispose()
        cut.onNext(())
        subscription.dispose()
        if isTold {
            tell(left)
            let resumes = state.withLock { state in
                state.isReporting = false
                return state.resumesAfterReport
            }
            if resumes { resumeIfEnded() }
        }
        waiter?.resume(with: result)
    }

    private func tell(_ left: Drain.Leftover) {
        if left.isEmpty {
            service.logger.info("stopped", metadata: ["rx.left": "\(left)"])
        } else {
            service.logger.warning("stopped with work left", metadata: ["rx.left": "\(left)"])
        }
        service.report?(left)
    }
}

private final class SubscribingExecutor: TaskExecutor {
    private let thread = PthreadScheduler(name: "rx.service")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = thread.schedule(()) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            return Disposables.create()
        }
    }
}
