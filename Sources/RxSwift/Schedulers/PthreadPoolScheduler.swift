public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work that may block on a bounded number of threads of its own.
///
/// Files, name look-ups, drivers that wait, locks of others: on a dispatch queue each of these holds a thread of a pool
/// that all share. This pool is yours, its threads have a name, and there are never more of them than you say.
///
/// ```swift
/// let files = PthreadPoolScheduler(name: "files", maxThreads: 8)
/// let sizes = paths.flatMap { path in
///     Single.just(path).observe(on: files).map { try readSize($0) }
/// }
/// ```
///
/// - **Order**: work begins in the order in which it was scheduled, as threads become free; several pieces run at once.
///   What one chain observes here is serial and in order.
/// - **Threads**: started when work waits and none is free, up to `maxThreads`; one that has found nothing for
///   `idleTime` ends. The one that rested last works first. They take none of the process's signals, and have the
///   scheduling (policy, nice value, processors) of the main thread, whichever thread starts them. While the system
///   makes no first one, work waits (``ThreadRefused``); a shutdown then lets it go.
/// - **Cancellation**: what is disposed before its turn never runs and is freed at once; what runs already ends in its
///   own time.
/// - **Time**: timers are monotonic, and hold no thread while they wait. When one is due, its work queues with the
///   rest.
/// - **Ending**: ``shutdown(_:)``; or let the scheduler go: what was scheduled still runs, timers too, and threads
///   without work end.
///
/// Any thread may schedule and dispose. No lock is held while anything runs. Work that waits for other work of the same
/// pool can use all threads up and then waits for ever.
// @unchecked Sendable because its properties never change and any thread may use them.
public final class PthreadPoolScheduler: SchedulerType, BurstScheduler, @unchecked Sendable {
    private let pool: PthreadPool
    private let timers: Timers

    /// Makes a scheduler; its threads start with its work.
    ///
    /// - Parameters:
    ///   - name: what its threads are called, followed by a number; Linux shows 15 bytes of both.
    ///   - maxThreads: how many threads there may be, at least one.
    ///   - idleTime: how long a thread without work stays.
    ///   - stackSize: the size of a thread's stack in bytes; nil for the system's default.
    public init(
        name: String = "rx.pool", maxThreads: Int = 64, idleTime: RxTimeInterval = .seconds(10), stackSize: Int? = nil
    ) {
        if maxThreads < 1 {
            rxFatalError(
                "A pool needs a thread", operator: "PthreadPoolScheduler", argument: "maxThreads", value: maxThreads)
        }
        Pthread.check(stackSize: stackSize, operator: "PthreadPoolScheduler")
        pool = PthreadPool(name: name, maxThreads: maxThreads, idleTime: idleTime, stackSize: stackSize)
        timers = Timers(.pool(pool))
    }

    deinit {
        pool.release()
    }

    /// How many threads there are at the moment.
    public var threadCount: Int { pool.threadCount }

    /// A queue of its own for each asker: one chain's events are serial, those of two chains are not.
    @usableFromInline
    var jobQueue: JobQueue? { PthreadPoolJobQueue(pool) }

    /// Ends the threads, and returns when they have ended. What is scheduled afterwards is let go, unrun; so are timers
    /// that are not due.
    ///
    /// Any thread may call it, any number of times. On one of the scheduler's own threads it returns at once, and they
    /// end later. The thread that calls it while holding a lock that the work needs waits for ever.
    ///
    /// It ends no subscription. Dispose of those that use its timers: a `delay`, or a `buffer` by time alone, goes on
    /// taking what its source sends, and its time never comes.
    ///
    /// - Parameter pending: whether what waits for its turn still runs.
    public func shutdown(_ pending: PendingWork = .drain) {
        pool.shutdown(pending)
    }

    /// The wall clock.
    public var now: Date { Date() }

    /// Schedules an action; it begins after everything that was scheduled before has begun.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        pool.enqueue(job)
        return job
    }

    /// Schedules an action after a span of monotonic time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Schedules an action again and again, in monotonic time; its calls do not overlap. Ticks that come due while it
    /// runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}

/// A ``JobQueue`` drained by one job at a time on a pool.
private final class PthreadPoolJobQueue: JobQueue, @unchecked Sendable {  // because its one property never changes
    /// After so many jobs the pool's other work has its turn.
    private static let burst = 4096

    private let pool: PthreadPool

    init(_ pool: PthreadPool) {
        self.pool = pool
        super.init(dropping: pool.dropping)
    }

    override var name: String { pool.name }

    override func wake() {
        pool.enqueue(Drain(self))
    }

    private final class Drain: ScheduledJob, @unchecked Sendable {  // because its one property never changes
        private let queue: PthreadPoolJobQueue

        init(_ queue: PthreadPoolJobQueue) {
            self.queue = queue
            super.init()
        }

        override func run() {
            if queue.drain(atMost: PthreadPoolJobQueue.burst) || queue.pool.takesBack(self) { return }
            queue.finish()
        }

        override func drop() {
            queue.discard()
        }
    }
}
