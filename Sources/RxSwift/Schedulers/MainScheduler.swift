internal import Dispatch

/// Runs work on the main queue; at once, if that is where it is scheduled and nothing else of it waits or runs.
///
/// Use it to observe on the main queue; to subscribe there, ``ConcurrentMainScheduler`` saves more hops. Each piece is
/// dispatched by itself, so that other work on the main queue keeps its place.
///
/// - Threads: any thread may schedule and dispose. On Linux the main queue runs only while the main thread is in
///   `dispatchMain()` or runs its run loop (`RunLoop.main.run()`), or in a program with an asynchronous `main`; until
///   then nothing is delivered. A debug build warns of it on standard error, once, when the first piece has waited for
///   three seconds.
/// - Order: first in, first out, one at a time, together with all else on the main queue. Timers run in the order of
///   their deadlines.
/// - Disposal: what is disposed of on the main queue does not run afterwards; disposed of elsewhere, at most a run that
///   has begun ends.
///
/// - `count`: an atomic count of what is scheduled and has not ended.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {  // because of the guard above
    private let mainQueue = DispatchQueue.main
    private let count = AtomicCount()

    /// Makes a main scheduler. Work runs at once only with respect to the same scheduler, so ``instance`` is what one
    /// wants.
    public init() {
        super.init(sharingMainQueueWithLeeway: .nanoseconds(0))
    }

    /// The instance that all share.
    public static let instance = MainScheduler()

    /// A scheduler on the main queue that never runs anything at once.
    public static let asyncInstance = SerialDispatchQueueScheduler(sharingMainQueueWithLeeway: .nanoseconds(0))

    /// Stops the process unless the calling thread runs for the main queue.
    ///
    /// - Parameter errorMessage: what it says then; words of its own unless given.
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

    /// Does nothing on Linux, where the main queue need not be the main thread's.
    ///
    /// - Parameter errorMessage: not used.
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
