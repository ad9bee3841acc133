/// Runs work on the thread that schedules it: at once if nothing of it runs there, otherwise after what runs and what
/// waits already.
///
/// It is what recursion in a sequence runs on: each step is queued, so that neither stack nor order depends on their
/// number.
///
/// - Threads: the queue belongs to the thread, so any thread may use the one instance; what two threads schedule runs
///   side by side.
/// - Order: first in, first out on each thread, one at a time. What an action schedules runs after that action.
/// - Disposal: what is disposed of before its turn never runs, and is freed at once; from another thread, at most a run
///   that has begun ends.
// @unchecked Sendable because it has no state: the queue is the thread's.
public class CurrentThreadScheduler: ImmediateSchedulerType, @unchecked Sendable {
    /// The instance that all share.
    public static let instance = CurrentThreadScheduler()

    init() {}

    /// Whether nothing of this scheduler runs on the calling thread, so that work scheduled now would run at once.
    public static var isScheduleRequired: Bool { !Trampoline.isRunning }

    /// Runs the action at once, or after what the calling thread runs already.
    ///
    /// - Returns: the scheduled action; disposed before its turn, by any thread, it never runs.
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
    /// Whether it is ``CurrentThreadScheduler``. It has no subclass, so this need not be a cast, which takes ten times
    /// as long.
    @inlinable
    var isCurrentThread: Bool { Self.self == CurrentThreadScheduler.self }
}
