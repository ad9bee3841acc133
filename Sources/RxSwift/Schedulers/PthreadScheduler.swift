public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on one thread of its own, one piece after the other, in the order in which it was scheduled.
///
/// Use it where work has to stay on one thread: for thread-locals, for a library that wants a thread, for a debugger that shows a name.
/// A ``SerialDispatchQueueScheduler`` costs no thread and is otherwise the same.
///
/// Any thread may schedule and dispose. Timers run on the monotonic clock and in the order of their deadlines; a burst of work delays them
/// by at most 256 pieces. No lock is held while anything runs.
///
/// The thread ends after ``shutdown()``, or by itself once the scheduler has been let go and nothing waits: what was scheduled still runs.
// @unchecked Sendable because its one property never changes and any thread may use it.
public final class PthreadScheduler: SchedulerType, BurstScheduler, @unchecked Sendable {
    private let worker: PthreadWorker

    /// Makes a scheduler and starts its thread.
    ///
    /// - Parameters:
    ///   - name: the thread's name; Linux shows the first 15 bytes of it.
    ///   - stackSize: the size of its stack in bytes; nil for the system's default.
    public init(name: String = "rx.pthread", stackSize: Int? = nil) {
        worker = PthreadWorker()
        worker.start(name: name, stackSize: stackSize)
    }

    deinit {
        worker.end(.whenIdle)
    }

    @usableFromInline
    var jobQueue: JobQueue? { worker }

    /// Ends the thread: what waits for its turn still runs, timers do not, and what is scheduled afterwards is dropped, unrun.
    ///
    /// Returns at once; any thread may call it, the scheduler's own, too.
    public func shutdown() {
        worker.end(.now)
    }

    /// The wall clock.
    public var now: Date { Date() }

    /// Schedules an action behind everything that was scheduled before.
    public func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        let job = ScheduledAction { action(state) }
        worker.enqueue(job)
        return job
    }

    /// Schedules an action after a span of monotonic time.
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        worker.schedule(ScheduledAction { action(state) }, after: dueTime, every: nil)
    }

    /// Schedules an action again and again, in monotonic time. Ticks that come due while the action runs become one.
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval, action: @escaping (StateType) -> StateType
    ) -> any Disposable {
        worker.schedule(PeriodicAction(state, action), after: startAfter, every: period)
    }
}
