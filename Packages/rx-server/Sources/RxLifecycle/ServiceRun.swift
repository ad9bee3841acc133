import Foundation
import Logging
import RxResilience
internal import ServiceLifecycle
import Synchronization

/// One run of a service. Several things may end it, each on a thread of its own; the first that comes does.
///
/// - `state`: under its lock, which is not held while anybody is called.
/// - `subscription`, `wait`, `cut` guard themselves.
// @unchecked Sendable because of the guards above; the service is immutable.
final class ServiceRun: @unchecked Sendable {
    private enum Phase {
        case running, draining
        case ended(Result<Void, any Error>)
    }

    private struct State {
        var phase = Phase.running
        /// Who awaits the end; taken by who brings it.
        var waiter: CheckedContinuation<Void, any Error>?
        /// The thread that subscribes to the pipeline, while it does.
        var subscriber: pthread_t?
    }

    private let service: RxService
    private let drain = Drain()
    private let state = Mutex(State())
    private let subscription = SingleAssignmentDisposable()
    /// The wait for the drain.
    private let wait = SingleAssignmentDisposable()
    /// Ends a pipeline that is still being subscribed to, as the loop of a cold source is.
    private let cut = PublishSubject<Void>()

    init(_ service: RxService) {
        self.service = service
    }

    /// Begins the run, and awaits its end.
    func end() async throws {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            let ended: Result<Void, any Error>? = state.withLock { state in
                if case .ended(let result) = state.phase { return result }
                state.waiter = waiter
                return nil
            }
            if let ended {
                waiter.resume(with: ended)
            } else {
                // A task of its own, with the task-local values of this one, and on a thread of its own: a source may
                // keep it, and two of them would keep the pools of a machine with two cores, Swift's or Dispatch's.
                Task(executorPreference: SubscribingExecutor()) { self.begin() }
            }
        }
    }

    /// Does something on the scheduler: later, also where it would run at once what it is handed.
    func soon(_ action: @escaping @Sendable () -> Void) {
        _ = service.scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
            action()
            return Disposables.create()
        }
    }

    private func begin() {
        // Who is asked to go before it has begun begins nothing; the handler of the shutdown ends it.
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

    /// Tells who awaits the end of it, if the pipeline ended within its own subscription: as that returns, or when the
    /// run is asked to end.
    private func resumeIfEnded() {
        let resume = state.withLock { state -> (() -> Void)? in
            guard case .ended(let result) = state.phase, let waiter = state.waiter.take() else { return nil }
            return { waiter.resume(with: result) }
        }
        resume?()
    }

    private var hasEnded: Bool {
        state.withLock { if case .ended = $0.phase { true } else { false } }
    }

    func subscribe<Element>(to pipeline: Observable<Element>) -> any Disposable {
        // It may have taken its time to be made. That is asked once who cuts is heard, and he says it first.
        Observable.deferred { self.hasEnded ? .empty() : pipeline.counted(by: self.drain, as: "pipeline") }
            .take(until: cut)
            .subscribe(
                onError: { self.finish(.failure($0), left: self.drain.running, isOwnEnd: true) },
                onCompleted: { self.finish(.success(()), left: self.drain.running, isOwnEnd: true) })
    }

    /// Stops the intake, and waits for what has been begun.
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

    /// Disposes at once.
    func cancel() {
        finish(.failure(CancellationError()), left: drain.running)
        resumeIfEnded()
    }

    /// Ends the run, once.
    ///
    /// A pipeline that ends within its own subscription, as one that fails at once does, is torn down only as that
    /// returns: the end is told of then, or when the run is asked to end first. Any other end is told at once, also in
    /// the midst of a subscription, because a source may keep that thread for ever.
    ///
    /// - Parameters:
    ///   - left: what was running, which is told unless the pipeline has ended by itself before anybody stopped it.
    ///   - isOwnEnd: whether the pipeline has ended by itself.
    private func finish(_ result: Result<Void, any Error>, left: Drain.Leftover, isOwnEnd: Bool = false) {
        let (isFirst, isTold, waiter) = state.withLock {
            state -> (Bool, Bool, CheckedContinuation<Void, any Error>?) in
            var isTold = !isOwnEnd
            switch state.phase {
            case .running: break
            case .draining:
                // Where it drains a completion comes when nothing else that is counted runs either.
                if isOwnEnd, case .success = result { return (false, false, nil) }
                isTold = true
            case .ended: return (false, false, nil)
            }
            state.phase = .ended(result)
            if let subscriber = state.subscriber, isOwnEnd, pthread_equal(subscriber, pthread_self()) != 0 {
                return (true, isTold, nil)
            }
            return (true, isTold, state.waiter.take())
        }
        guard isFirst else { return }
        wait.dispose()
        cut.onNext(())
        subscription.dispose()
        if isTold { tell(left) }
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

/// Runs what subscribes to a pipeline on a thread of its own, which its source may keep.
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
