public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs on its own thread.
///
/// - Order: first in, first out, one at a time.
/// - Disposal: a job that is disposed of on the thread does not run afterwards. A disposal on another thread does not
///   stop a job that has begun. A waiting job is released at once.
///
/// Use it for work that must stay on one thread, for example because of thread-locals. For other serial work, use a
/// ``SerialDispatchQueueScheduler``, which needs no thread of its own.
///
/// Any thread may schedule and dispose. Timers use the monotonic clock. When a timer fires, its job joins the queue.
///
/// The thread ends with ``shutdown(_:)``, or when the scheduler has been released and all scheduled jobs and timers
/// have run. It blocks all signals except fault signals such as SIGSEGV, and has the scheduling (policy, nice value,
/// processors) of the main thread. If the system refuses the thread, jobs wait (``ThreadRefused``); a shutdown drops
/// them.
// @unchecked Sendable because its properties never change, and any thread may use them.
public final class PthreadScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
    private let worker: PthreadWorker
    private let timers: Timers

    /// Makes a scheduler and starts its thread.
    ///
    /// - Parameters:
    ///   - name: the thread's name; Linux shows its first 15 bytes.
    ///   - stackSize: the stack size of the thread, in bytes; nil for the system's default.
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

    /// Ends the thread and returns when it has ended. Otherwise like ``PthreadPoolScheduler/shutdown(_:)``.
    public func shutdown(_ pending: PendingWork = .drain) {
        worker.shutdown(pending)
    }

    public var now: Date { Date() }

    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        worker.enqueue(job)
        return job
    }

    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Calls `action` repeatedly. If several periods elapse during a call, `action` is called once for all of them.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
