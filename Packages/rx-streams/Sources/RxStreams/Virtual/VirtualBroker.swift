public import Dispatch
@_spi(RxServer) public import RxSwift
import Synchronization

/// A broker in memory and in virtual time, with faults that a test controls.
///
/// ```swift
/// let broker = VirtualBroker(HistoricalScheduler())
/// try broker.run {
///     let orders = broker.stream("orders", of: Order.self)
///     broker.loseVerdicts(1)
///     ...
/// }
/// ```
///
/// All waits use the scheduler's clock, and all tasks run on the scheduler, so a test takes no time and is
/// deterministic.
///
/// - **Threads**: everything runs on the thread that created the scheduler, in its calls of `start()` and
///   ``run(for:_:)``.
public final class VirtualBroker: Broker {
    let virtual: VirtualDriver

    /// The driver, which stores the streams in memory.
    public var driver: any LiveDriver { virtual }

    /// Creates an empty broker on a `scheduler`. No other thread may run the scheduler while the broker is in use.
    public convenience init<Converter, Scheduler: VirtualTimeScheduler<Converter> & Sendable>(_ scheduler: Scheduler) {
        self.init(VirtualDriver(VirtualEngine(), VirtualTime(scheduler)))
    }

    init(_ driver: VirtualDriver) {
        virtual = driver
    }

    /// Returns another connection to the same streams, like that of another process. Its faults are set separately.
    public func another() -> VirtualBroker {
        VirtualBroker(VirtualDriver(virtual.engine, virtual.time))
    }

    /// Runs asynchronous `work` in virtual time until it returns, one task at a time. Call it on the thread that
    /// created the scheduler, not in an asynchronous function. Throws the work's error, or
    /// ``BrokerError/unavailable(_:)`` if the work takes longer than `limit` in virtual time.
    public func run<Value: Sendable>(
        for limit: RxTimeInterval = .seconds(86_400), _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        try virtual.time.run(for: limit, work)
    }

    // MARK: Faults

    /// The duration of each call; zero by default.
    public var latency: RxTimeInterval {
        get { virtual.faults.withLock { $0.latency } }
        set { virtual.faults.withLock { $0.latency = newValue } }
    }

    /// Cuts this connection for a `span`. Calls fail, including waiting ones, and the status reports the cut. The
    /// engine continues.
    public func disconnect(for span: RxTimeInterval) {
        virtual.disconnect(for: span)
    }

    /// Makes the next `count` appends store their messages and then fail, as if the reply were lost.
    public func loseReceipts(_ count: Int) {
        virtual.faults.withLock { $0.lostReceipts += count }
    }

    /// Silently drops the next `count` verdicts.
    public func loseVerdicts(_ count: Int) {
        virtual.faults.withLock { $0.lostVerdicts += count }
    }

    /// Makes the engine deliver the next `count` pulled messages again at once. A pipeline of `work` that still has
    /// such a message does not handle it a second time. To make a handler run twice, use ``loseVerdicts(_:)``.
    public func duplicate(_ count: Int) {
        virtual.faults.withLock { $0.duplicates += count }
    }

    /// Simulates a crash before the disk was synced: the last `count` messages of `stream` are lost. Their positions
    /// and ids are free again.
    public func crash(losing count: Int, of stream: String) {
        virtual.engine.forget(count, of: stream)
    }
}

// @unchecked Sendable because all members are immutable, and any thread may call `later` and `stop`.
final class VirtualTime: TaskExecutor, @unchecked Sendable {
    let scheduler: any SchedulerType & Sendable
    private let later: (@escaping () -> Void) -> Void
    private let start: () -> Void
    private let stop: () -> Void

    init<Converter, Scheduler: VirtualTimeScheduler<Converter> & Sendable>(_ scheduler: Scheduler) {
        self.scheduler = scheduler
        later = { action in
            _ = scheduler.scheduleAbsoluteVirtual((), time: scheduler.clock) {
                action()
                return Disposables.create()
            }
        }
        start = { scheduler.start() }
        stop = { scheduler.stop() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        later { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func run<Value: Sendable>(
        for limit: RxTimeInterval, _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        // Asynchronous steps, and sources that continue after a pause, must also run in virtual time.
        WorkExecutor.preferred.withValue(self) {
            WorkExecutor.scheduler.withValue(scheduler) { begin(for: limit, work, outcome) }
        }
        guard let result = outcome.take() else {
            throw BrokerError.unavailable("the work has not ended within its time limit: it hangs")
        }
        return try result.get()
    }

    private func begin<Value: Sendable>(
        for limit: RxTimeInterval, _ work: @escaping @Sendable () async throws -> Value, _ outcome: Outcome<Value>
    ) {
        let task = Task(executorPreference: self) { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            if outcome.put(result) { stop() }
        }
        let alarm = scheduler.scheduleRelative((), dueTime: limit) { [self] in
            stop()
            return Disposables.create()
        }
        start()
        alarm.dispose()
        task.cancel()
    }

    /// Guards: `state` is protected by its lock.
    private final class Outcome<Value: Sendable>: Sendable {
        private let state = Mutex((result: Result<Value, any Error>?.none, isAwaited: true))

        /// Stores the result. Returns whether `run` is still waiting for it.
        func put(_ result: Result<Value, any Error>) -> Bool {
            state.withLock { state in
                state.result = result
                return state.isAwaited
            }
        }

        /// Returns the result; nil if the work has not ended. A later `put` then returns false, so that its result does
        /// not stop the next run.
        func take() -> Result<Value, any Error>? {
            state.withLock { state in
                state.isAwaited = false
                return state.result
            }
        }
    }
}
