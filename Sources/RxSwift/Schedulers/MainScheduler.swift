internal import Dispatch

/// Runs jobs on the main queue. A job that is scheduled from that queue runs at once if no other job of the scheduler
/// waits or runs.
///
/// Use it to observe on the main queue, and ``ConcurrentMainScheduler`` to subscribe there. Each job is dispatched
/// separately, so other work on the main queue can run between two jobs.
///
/// - Threads: any thread may schedule and dispose. On Linux the main queue runs only if the main thread is in
///   `dispatchMain()` or `RunLoop.main.run()`, or if `main` is asynchronous. If the first job waits for three seconds,
///   a debug build warns on standard error.
/// - Order: first in, first out, one at a time, together with all other work on the main queue. Timers run in the
///   order of their deadlines.
/// - Disposal: a job that is disposed of on the main queue does not run afterwards. A disposal on another thread does
///   not stop a job that has begun.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {  // because `count` is atomic
    private let mainQueue = DispatchQueue.main
    /// The number of running and waiting jobs.
    private let count = AtomicCount()

    /// Prefer ``instance``: a second scheduler may run a job at once while an earlier job of the first scheduler waits.
    public init() {
        super.init(sharingMainQueueWithLeeway: .nanoseconds(0))
    }

    /// The shared instance.
    public static let instance = MainScheduler()

    /// A scheduler on the main queue that never runs a job inside the call that schedules it.
    public static let asyncInstance = SerialDispatchQueueScheduler(sharingMainQueueWithLeeway: .nanoseconds(0))

    /// Traps with `errorMessage` if the caller does not run on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        if MainQueue.isCurrent { return }
        rxFatalError(
            errorMessage
                ?? """
                Executing on background thread. \
                Please use `MainScheduler.instance.schedule` to schedule work on main thread.
                """
        )
    }

    /// Has no effect on Linux, where the main queue does not always run on the main thread. Ignores `errorMessage`.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {}

    override func enter() -> Bool {
        guard MainQueue.isCurrent else { return false }
        if count.add(1) == 0 { return true }
        count.add(-1)
        return false
    }

    override func leave() {
        count.add(-1)
    }

    @usableFromInline
    override func schedule(_ work: @escaping () -> any Disposable) -> any Disposable {
        if enter() {
            defer { leave() }
            return work()
        }
        count.add(1)
        MainQueue.expectDrain()
        let job = ScheduledAction(work)
        mainQueue.async { [count] in
            job.run()
            count.add(-1)
        }
        return job
    }
}
