public import Dispatch
@_spi(RxServer) public import RxSwift
import Synchronization

/// A broker in a test's memory, on virtual time, that fails where the test wants it to.
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
/// All that waits, waits on the scheduler's clock, and all tasks of pipelines run on it: a test takes no time, and
/// always runs alike. What it keeps, its clients see after a fault as they would with an engine that kept it on a disk.
///
/// - **Threads**: those of the scheduler: `start()`, or ``run(for:_:)``, on the thread that made it.
public final class VirtualBroker: Broker {
    let virtual: VirtualDriver

    /// What keeps the streams, in memory.
    public var driver: any LiveDriver { virtual }

    /// Makes a broker with nothing in it.
    ///
    /// - Parameter scheduler: whose clock is its time; it is not to be run by another thread meanwhile.
    public convenience init<Converter, Scheduler: VirtualTimeScheduler<Converter> & Sendable>(_ scheduler: Scheduler) {
        self.init(VirtualDriver(VirtualEngine(), VirtualTime(scheduler)))
    }

    init(_ driver: VirtualDriver) {
        virtual = driver
    }

    /// Another connection to the same streams: another process, as it were, with faults of its own.
    public func another() -> VirtualBroker {
        VirtualBroker(VirtualDriver(virtual.engine, virtual.time))
    }

    /// Runs asynchronous work in virtual time until it returns.
    ///
    /// To be called on the thread that made the scheduler, which it runs; not within an asynchronous function.
    ///
    /// - Parameters:
    ///   - limit: of virtual time: work that takes longer hangs.
    ///   - work: the work. Its tasks run one at a time.
    /// - Throws: what the work throws; ``BrokerError/unavailable(_:)`` where it hangs.
    public func run<Value: Sendable>(
        for limit: RxTimeInterval = .seconds(86_400), _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        try virtual.time.run(for: limit, work)
    }

    // MARK: Faults

    /// How long each call takes; nothing unless set.
    public var latency: RxTimeInterval {
        get { virtual.faults.withLock { $0.latency } }
        set { virtual.faults.withLock { $0.latency = newValue } }
    }

    /// Cuts this connection for a span: calls fail, also those that wait, and the status says so. The engine goes on.
    public func disconnect(for span: RxTimeInterval) {
        virtual.disconnect(for: span)
    }

    /// The next so many appends keep what they are given and then fail, as if the answer were lost.
    public func loseReceipts(_ count: Int) {
        virtual.faults.withLock { $0.lostReceipts += count }
    }

    /// The next so many verdicts do not get to the engine, and nobody knows.
    public func loseVerdicts(_ count: Int) {
        virtual.faults.withLock { $0.lostVerdicts += count }
    }

    /// The next so many messages that are pulled are delivered again at once, as if they had not been. What a `work`
    /// has itself at that moment it does not handle beside that: ``loseVerdicts(_:)`` has it handle an element again.
    public func duplicate(_ count: Int) {
        virtual.faults.withLock { $0.duplicates += count }
    }

    /// The engine crashes and forgets the last messages of a stream, at most all, as one does whose disk was not told
    /// to keep them. Their positions and ids are free again.
    public func crash(losing count: Int, of stream: String) {
        virtual.engine.forget(count, of: stream)
    }
}

/// A virtual scheduler as an executor, and as what measures spans.
// @unchecked Sendable because all of it is immutable, and any thread may schedule and stop.
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
        // What pipelines do asynchronously, and where they go on after a pause, is to take place in virtual time as
        // well.
        WorkExecutor.preferred.withValue(self) {
            WorkExecutor.scheduler.withValue(scheduler) { begin(for: limit, work, outcome) }
        }
        guard let result = outcome.take() else {
            throw BrokerError.unavailable("the work has not ended within its time: it hangs")
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

    /// What the work came to, if it did while it was waited for. Guards: `state` is under its lock.
    private final class Outcome<Value: Sendable>: Sendable {
        private let state = Mutex((result: Result<Value, any Error>?.none, isAwaited: true))

        /// Keeps a result; whether anybody waits for it still.
        func put(_ result: Result<Value, any Error>) -> Bool {
            state.withLock { state in
                state.result = result
                return state.isAwaited
            }
        }

        /// Takes the result, for which nobody waits any longer: what hung may end in the next run, and does not end it.
        func take() -> Result<Value, any Error>? {
            state.withLock { state in
                state.isAwaited = false
                return state.result
            }
        }
    }
}
