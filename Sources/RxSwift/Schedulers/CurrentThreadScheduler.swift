/// Runs jobs on the thread that schedules them: at once, or after the current and waiting jobs of the thread.
///
/// Each step of a recursion is queued, so the stack does not grow.
///
/// - Threads: each thread has its own queue.
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
    /// Whether this is a ``CurrentThreadScheduler``, which has no subclass. Compares the types, because a cast takes
    /// ten times as long.
    @inlinable
    var isCurrentThread: Bool { Self.self == CurrentThreadScheduler.self }
}
