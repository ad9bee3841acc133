public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on one thread of its own, one piece after the other, in the order in which it was scheduled.
///
/// - Order: first in, first out, one at a time, over all that is scheduled on it. What a piece schedules runs after
///   that piece.
/// - Disposal: what is disposed of on the thread never runs afterwards; disposed of elsewhere, at most a run that has
///   begun ends. What waits is freed at once.
///
/// Use it where work has to stay on one thread: for thread-locals, for a library that wants a thread, for a debugger
/// that shows a name. A ``SerialDispatchQueueScheduler`` costs no thread and is otherwise the same.
///
/// Any thread may schedule and dispose. Timers run on the monotonic clock; when one is due, its work joins the queue,
/// in the order of deadlines. What is disposed before its turn never runs. No lock is held while anything runs.
///
/// The thread ends with ``shutdown(_:)``, or by itself once the scheduler has been let go and nothing waits: what was
/// scheduled still runs, timers, too. It takes none of the process's signals, and has the scheduling (policy, nice
/// value, processors) of the main thread, whichever thread makes the scheduler. While the system makes no thread, what
/// is scheduled waits (``ThreadRefused``); a shutdown then lets it go.
// @unchecked Sendable because its properties never change and any thread may use it.
public final class PthreadScheduler: SchedulerType, BurstScheduler, @unchecked Sendable {
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

    /// Ends the thread, and returns when it has ended. What is scheduled afterwards is let go, unrun; so are timers
    /// that are not due.
    ///
    /// Any thread may call it, any number of times. On the scheduler's own thread it returns at once, and the thread
    /// ends later. The thread that calls it while holding a lock that the work needs waits for ever.
    ///
    /// It ends no subscription. Dispose of those that use its timers: a `delay`, or a `buffer` by time alone, goes on
    /// taking what its source sends, and its time never comes.
    ///
    /// - Parameter pending: whether what waits for its turn still runs.
    public func shutdown(_ pending: PendingWork = .drain) {
        worker.shutdown(pending)
    }

    /// The wall clock.
    public var now: Date { Date() }

    /// Schedules an action behind everything that was scheduled before.
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

    /// Schedules an action again and again, in monotonic time. Ticks that come due while the action runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
