public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs that may block, on a bounded number of its own threads.
///
/// Use it for files, name look-ups, blocking drivers and contended locks. On a dispatch queue, such jobs would block
/// threads that the whole process shares.
///
/// ```swift
/// let files = PthreadPoolScheduler(name: "files", maxThreads: 8)
/// let sizes = paths.flatMap { path in
///     Single.just(path).observe(on: files).map { try readSize($0) }
/// }
/// ```
///
/// - **Order**: jobs begin in the order in which they were scheduled, and several run at once. The events of one chain
///   are serial and in order.
/// - **Threads**: a thread starts when a job waits and no thread is free, up to `maxThreads`. It ends after `idleTime`
///   without a job. The threads block all signals except fault signals such as SIGSEGV, and have the scheduling
///   (policy, nice value, processors) of the main thread. If the system refuses the first thread, jobs wait
///   (``ThreadRefused``); a shutdown drops them.
/// - **Disposal**: a job that is disposed of before its turn never runs and is released at once. A running job is
///   completed.
/// - **Time**: timers use the monotonic clock. When a timer fires, its job joins the queue.
/// - **Ending**: call ``shutdown(_:)``, or release the scheduler. After a release, all scheduled jobs and timers still
///   run, then the threads end.
///
/// Any thread may schedule and dispose. If jobs wait for other jobs of the same pool, they can use up all threads and
/// wait forever.
// @unchecked Sendable because its properties never change, and any thread may use them.
public final class PthreadPoolScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
    private let pool: PthreadPool
    private let timers: Timers

    /// Makes a scheduler.
    ///
    /// - Parameters:
    ///   - name: the name of its threads; the scheduler appends a number. If both together exceed 15 bytes, the name is
    ///     shortened.
    ///   - maxThreads: the maximum number of threads, at least one.
    ///   - idleTime: how long a thread without work lives.
    ///   - stackSize: the stack size of each thread, in bytes; nil for the system's default.
    public init(
        name: String = "rx.pool", maxThreads: Int = 64, idleTime: RxTimeInterval = .seconds(10), stackSize: Int? = nil
    ) {
        if maxThreads < 1 {
            rxFatalError(
                "A pool needs at least one thread", operator: "PthreadPoolScheduler", argument: "maxThreads",
                value: maxThreads)
        }
        Pthread.check(stackSize: stackSize, operator: "PthreadPoolScheduler")
        pool = PthreadPool(name: name, maxThreads: maxThreads, idleTime: idleTime, stackSize: stackSize)
        timers = Timers(.pool(pool))
    }

    deinit {
        pool.release()
    }

    /// The current number of threads.
    public var threadCount: Int { pool.threadCount }

    /// A new queue at each access, so that each chain has its own serial queue.
    @usableFromInline
    var jobQueue: JobQueue? { PthreadPoolJobQueue(pool) }

    /// Ends the threads and returns when they have ended. `pending` decides whether waiting jobs run. Later jobs, and
    /// timers that are not due, are dropped.
    ///
    /// Any thread may call this function, repeatedly. On one of the scheduler's own threads the call returns at once,
    /// and the threads end later. If the caller holds a lock that a job needs, both wait forever.
    ///
    /// Before the shutdown, dispose of subscriptions with timers. Otherwise, after the shutdown, `delay` collects
    /// elements forever, and so does `buffer` with a count of 0.
    public func shutdown(_ pending: PendingWork = .drain) {
        pool.shutdown(pending)
    }

    public var now: Date { Date() }

    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        pool.enqueue(job)
        return job
    }

    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Calls `action` repeatedly. Calls do not overlap. If several periods elapse during a call, `action` is called
    /// once for all of them.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}

private final class PthreadPoolJobQueue: JobQueue, @unchecked Sendable {  // because its one property never changes
    /// After this number of jobs, other work of the pool may run.
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
