/// Runs jobs on the thread that schedules them. If the thread is running no other job of this scheduler, the job runs
/// at once. Otherwise the job runs after the current and the waiting jobs.
///
/// Each step of a recursion is queued, so the stack does not grow with the number of steps.
///
/// - Threads: each thread has its own queue. Jobs of different threads run concurrently.
/// - Order: first in, first out on each thread, one at a time.
/// - Disposal: a job that is disposed of before its turn never runs and is released at once. A disposal on another
///   thread does not stop a job that has begun.
// @unchecked Sendable because it has no state: the queue belongs to the thread.
public class CurrentThreadScheduler: ImmediateSchedulerType, @unchecked Sendable {
    /// The shared instance.
    public static let instance = CurrentThreadScheduler()

    init() {}

    /// Whether a job that is scheduled now would run at once.
    public static var isScheduleRequired: Bool { !Trampoline.isRunning }

    /// Runs the action at once, or after the running and waiting jobs of the calling thread.
    ///
    /// - Returns: the scheduled action. If it is disposed of before its turn, on any thread, it never runs.
    @inlinable
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if Trampoline.isRunning {
            let job = ScheduledAction { action(state) }
            Trampoline.enqueue(job)
            return job
        }
        var made: any Disposable = NopDisposable()
        Trampoline.run { made = action(state) }
        return made
    }
}

extension ImmediateSchedulerType {
    /// Whether this is a ``CurrentThreadScheduler``. The class has no subclass, so comparing types suffices; a cast
    /// takes ten times as long.
    @inlinable
    var isCurrentThread: Bool { Self.self == CurrentThreadScheduler.self }
}
