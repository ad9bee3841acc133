public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs on one thread of its own.
///
/// - Order: first in, first out, one at a time.
/// - Disposal: a job disposed of on the thread never runs afterwards. A disposal on another thread does not stop a job
///   that has begun. A waiting job is freed at once.
///
/// Use it if work has to stay on one thread, as for thread-locals. A ``SerialDispatchQueueScheduler`` needs no thread
/// of its own and is otherwise the same.
///
/// Any thread may schedule and dispose. Timers are monotonic; when one is due, its job joins the queue.
///
/// The thread ends with ``shutdown(_:)``, or after the scheduler has been released and all scheduled jobs have run,
/// timers included. It blocks all signals except those of faults, and has the scheduling (policy, nice value,
/// processors) of the main thread. If the system refuses the thread, jobs wait (``ThreadRefused``); a shutdown drops
/// them.
// @unchecked Sendable because its properties never change and any thread may use it.
public final class PthreadScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
    private let worker: PthreadWorker
    private let timers: Timers

    /// Makes a scheduler and starts its thread.
    ///
    /// - Parameters:
    ///   - name: the thread's name; Linux shows the first 15 bytes of it.
    ///   - stackSize: the size of its stack in bytes; nil for the system's default.
    public init(name: String = "rx.pthread", stackSize: Int? = nil) {
        worker = PthreadWorker(name: name, stackSize: stackSize)
        timers = Timers(.jobs(worker))
        worker.start()
    }

    deinit {
        worker.release()
    }

    @usableFromInline
    var jobQueue: JobQueue? { worker }

    /// Ends the thread and returns when it has ended. Later jobs, and timers that are not due, are dropped.
    ///
    /// Any thread may call it, repeatedly. On the scheduler's own thread it returns at once, and the thread ends later.
    /// A caller that holds a lock which a job needs waits forever.
    ///
    /// A shutdown ends no subscription. Dispose of subscriptions with timers, because a `delay`, or a `buffer` by time
    /// alone, would collect elements for ever.
    ///
    /// - Parameter pending: whether waiting jobs run.
    public func shutdown(_ pending: PendingWork = .drain) {
        worker.shutdown(pending)
    }

    /// The wall clock.
    public var now: Date { Date() }

    /// Schedules an action after everything that was scheduled before.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        worker.enqueue(job)
        return job
    }

    /// Schedules an action after a span of monotonic time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Schedules an action repeatedly, in monotonic time. Ticks that come due while the action runs are merged into
    /// one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
