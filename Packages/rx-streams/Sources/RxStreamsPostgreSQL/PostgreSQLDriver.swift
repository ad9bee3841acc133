import Dispatch
public import RxStreams
public import RxSwift
import Synchronization

/// Streams, groups and cells in a PostgreSQL database. See ``PostgreSQLBroker``.
///
/// Guards: `state` is protected by its lock. All other members are constant.
public final class PostgreSQLDriver: LiveDriver {
    private struct State {
        var isClosed = false
        var members: Set<Int64> = []
    }

    public let scheduler: any SchedulerType & Sendable
    let pool: Pool
    /// The connections for the program's transactions. Pulls and publications use `pool`, so that a transaction's
    /// handler can wait for them.
    let transactions: Pool
    let schema: Schema
    let listeners = Listeners()
    /// Signals a possible change of messages, verdicts or cells, and closing.
    let signal = AsyncSignal()
    let notifier: Notifier
    /// Identifies this driver among the senders of live messages.
    let id = Int64.random(in: 1 ... .max)
    private let state = Mutex(State())
    private let closing = Once()

    init(_ address: PostgreSQLAddress, schema: Schema, limits: Pool.Limits, transactions: Int, idle: Duration) {
        scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
        self.schema = schema
        pool = Pool(address, limits) { link in try await schema.prepare(link, within: limits.answer) }
        var more = limits
        more.connections = transactions
        more.idleTransaction = idle
        self.transactions = Pool(address, more) { _ in }
        notifier = Notifier(pool, channel: schema.name, signal)
        pool.start()
        notifier.start()
        maintainInTheBackground()
    }

    deinit {
        notifier.close()
        transactions.close()
        pool.close()
    }

    public var executor: (any TaskExecutor)? { nil }

    public var status: Observable<BrokerStatus> { pool.status }

    public func close() async {
        await closing.run { await self.handBackAndClose() }
    }

    private func handBackAndClose() async {
        let members = state.withLock { state in
            state.isClosed = true
            return state.members
        }
        signal.send()
        notifier.close()
        if !members.isEmpty {
            // If this fails, the messages are delivered again after their deadlines.
            let task = Task { _ = try? await self.run("hand_back($1)", [.integers(Array(members))]) }
            let alarm = Task {
                try? await Task.sleep(for: .seconds(3))
                task.cancel()
            }
            await task.value
            alarm.cancel()
        }
        listeners.close()
        transactions.close()
        pool.close()
    }

    // MARK: Statements

    func checkOpen() throws {
        if state.withLock({ $0.isClosed }) { throw BrokerError.closed }
    }

    func call(_ function: String, _ values: [Value]) async throws -> Rows {
        try checkOpen()
        return try await run(function, values)
    }

    private func run(_ function: String, _ values: [Value]) async throws -> Rows {
        try await translated { try await pool.run("SELECT * FROM \(schema.name).\(function)", values) }
    }

    /// `@` in the statement stands for the schema's name.
    func query(_ sql: String, _ values: [Value] = []) async throws -> Rows {
        try checkOpen()
        return try await translated { try await pool.run(schema(sql), values) }
    }

    func translated<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as ServerError {
            try checkOpen()
            throw error.brokerError
        } catch let error as BrokerError {
            try checkOpen()
            throw error
        }
    }

    /// Wakes this process's waiting tasks, and shortly afterwards those of other processes.
    func wakeWaiters() {
        signal.send()
        notifier.notify()
    }

    enum Look<Found: Sendable>: Sendable {
        case found(Found)
        /// Search again after a change, or after this span; nil for no limit.
        case nothing(for: Duration?)
        case unfinished
    }

    /// Repeats a search until it finds something or the span has passed.
    ///
    /// The pauses between searches grow, up to 500 ms, or up to 50 ms while the notifier does not listen.
    func wait<Found: Sendable>(
        within span: RxTimeInterval, until look: () async throws -> Look<Found>
    ) async throws -> Found? {
        let end = ContinuousClock.now + .nanoseconds(span.nanosecondsClamped)
        var pause = Duration.milliseconds(10)
        while true {
            let seen = signal.count
            try checkOpen()
            try Task.checkCancellation()
            switch try await look() {
            case .found(let found): return found
            case .unfinished: continue
            case .nothing(let due):
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero else { return nil }
                var span = min(left, pause)
                // Adds one millisecond, so that `due` has passed after the wait.
                if let due { span = min(span, max(.zero, due) + .milliseconds(1)) }
                await signal.wait(after: seen, atMost: .nanoseconds(span.nanoseconds), on: scheduler)
                pause = min(pause * 2, notifier.isListening ? .milliseconds(500) : .milliseconds(50))
            }
        }
    }

    /// Gives positions to committed messages of `rx_publish`.
    func sequence(_ stream: Int64) async throws {
        while try await call("sequence($1)", [.integer(stream)]).integer(0, 0) ?? 0 >= 256 {}
        wakeWaiters()
    }

    /// Rotates tables and drops unused segments while the driver exists. A *rotation* empties the older partition of a
    /// table when the newer one has become large.
    ///
    /// Each task has its own pauses, because an open transaction that has published blocks only the inbox's rotation.
    private func maintainInTheBackground() {
        repeatInTheBackground(.seconds(7)) { driver in await driver.maintain("rotate()") }
        repeatInTheBackground(.seconds(7)) { driver in await driver.maintain("rotate_inbox()") }
        repeatInTheBackground(.seconds(28)) { driver in await driver.tidy() }
    }

    private func repeatInTheBackground(
        _ span: Duration, _ attempt: @escaping @Sendable (PostgreSQLDriver) async -> Bool
    ) {
        Task { [weak self] in
            var pauses = MaintenancePauses(span)
            while true {
                try? await Task.sleep(for: pauses.span * .random(in: 0.7...1.3))
                guard let self, (try? checkOpen()) != nil else { return }
                pauses.attempted(await attempt(self))
            }
        }
    }

    /// Calls a function that needs an exclusive lock. Returns false if it failed, for instance because another session
    /// holds the tables.
    func maintain(_ function: String) async -> Bool {
        (try? await call(function, [])) != nil
    }

    @discardableResult
    func tidy() async -> Bool {
        do {
            while try await call("tidy()", []).bool(0, 0) == true {}
            return true
        } catch {
            return false
        }
    }

    // MARK: Members

    func addMember(_ member: Int64) throws {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.members.insert(member) }
            return !state.isClosed
        }
        if !isOpen { throw BrokerError.closed }
    }

    func isMember(_ member: Int64) -> Bool {
        state.withLock { !$0.isClosed && $0.members.contains(member) }
    }

    /// Returns false if the driver has no such member, or has been closed.
    func removeMember(_ member: Int64) -> Bool {
        state.withLock { !$0.isClosed && $0.members.remove(member) != nil }
    }
}

/// The pauses between attempts. An attempt waits up to 100 ms for an exclusive lock, and blocks other sessions during
/// that time. So the pauses double after failures, up to five minutes.
struct MaintenancePauses {
    private let shortest: Duration
    private(set) var span: Duration

    init(_ shortest: Duration) {
        self.shortest = shortest
        span = shortest
    }

    mutating func attempted(_ hasSucceeded: Bool) {
        span = hasSucceeded ? shortest : min(span * 2, .seconds(300))
    }
}
