import Dispatch
import RxStreams
import RxSwift
import Synchronization

/// A bounded pool of connections. Reconnects without limit.
///
/// If no connection works, calls fail at once with the reason of the latest attempt. After a failed attempt, the pool
/// pauses for 25 ms to 5 s, even if other connections work. Random pauses spread the attempts of several processes.
///
/// Guards: `state` is protected by its lock. While the lock is held, no continuation is resumed and no status is sent.
/// `report` only adds states to the queue `reports`, which sends them in order.
final class Pool: Sendable {
    struct Limits: Sendable {
        var connections = 8
        var statement = Duration.seconds(30)
        /// The time that a statement may wait for a lock.
        var lock = Duration.seconds(10)
        var idleTransaction = Duration.seconds(60)

        /// The time limit for an answer. It exceeds the server's limit, so that the server can report a timeout.
        var answer: Duration { statement + .seconds(5) }

        var script: String {
            """
            SET statement_timeout = '\(statement.milliseconds)ms'; SET lock_timeout = '\(lock.milliseconds)ms';
            SET idle_in_transaction_session_timeout = '\(idleTransaction.milliseconds)ms';
            SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off;
            SET default_transaction_deferrable = off;
            SET client_min_messages = error; SET bytea_output = hex
            """
        }
    }

    private typealias Waiter = CheckedContinuation<Link, any Error>

    private struct State {
        var idle: [Link] = []
        var open: [ObjectIdentifier: Link] = [:]
        /// The number of connection attempts in progress: 0 or 1.
        var opening = 0
        var waiters: [(key: UInt64, waiter: Waiter)] = []
        var lastKey: UInt64 = 0
        /// Why no connection works; nil if one works or the first attempt is in progress.
        var failure: BrokerError?
        /// The number of failed attempts since a connection was last made.
        var attempt = 0
        /// Identifies the current pause. The timer of an earlier pause has no effect.
        var pause: UInt64?
        var isConnected = false
        var isClosed = false
    }

    private let address: PostgreSQLAddress
    let limits: Limits
    private let prepare: @Sendable (Link) async throws -> Void
    private let connector = DispatchQueue(label: "RxStreamsPostgreSQL.connect")
    private let reports = DispatchQueue(label: "RxStreamsPostgreSQL.status")
    private let statuses = ReplaySubject<BrokerStatus>.create(bufferSize: 1)
    private let state = Mutex(State())
    /// Signals a new connection, and closing.
    let signal = AsyncSignal()

    /// - Parameter prepare: prepares a new connection. If it throws, the connection is closed.
    init(_ address: PostgreSQLAddress, _ limits: Limits, prepare: @escaping @Sendable (Link) async throws -> Void) {
        self.address = address
        self.limits = limits
        self.prepare = prepare
        statuses.onNext(.connecting(attempt: 1, why: nil))
    }

    var status: Observable<BrokerStatus> { statuses.asObservable() }

    func start() {
        let begins = state.withLock { state in
            defer { state.opening = 1 }
            return state.opening == 0
        }
        if begins { open() }
    }

    // MARK: Use

    func run(_ sql: String, _ values: [Value] = []) async throws -> Rows {
        try await with { link in try await link.run(sql, values, within: self.limits.answer) }
    }

    /// Lends a connection. If the work leaves a transaction open, the connection is closed.
    func with<Result: Sendable>(_ work: @Sendable (Link) async throws -> Result) async throws -> Result {
        let link = try await acquire()
        do {
            let result = try await work(link)
            release(link)
            return result
        } catch {
            release(link)
            throw error
        }
    }

    private enum Supply {
        case link(Link)
        case failure(BrokerError)
        case wait(begins: Bool)
    }

    private func acquire() async throws -> Link {
        try Task.checkCancellation()
        let key = state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let supply = state.withLock { state -> Supply in
                    if state.isClosed { return .failure(.closed) }
                    if let link = state.idle.popLast() { return .link(link) }
                    if let failure = state.failure { return .failure(failure) }
                    state.waiters.append((key, waiter))
                    return .wait(begins: wantsMore(&state))
                }
                switch supply {
                case .link(let link): waiter.resume(returning: link)
                case .failure(let error): waiter.resume(throwing: error)
                case .wait(let begins):
                    if begins { open() }
                    // The cancellation handler may have run first.
                    if Task.isCancelled { cancel(key) }
                }
            }
        } onCancel: {
            cancel(key)
        }
    }

    private func cancel(_ key: UInt64) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.key == key }.map { state.waiters.remove(at: $0).waiter }
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// If another connection is needed, sets `opening` to 1 and returns true.
    private func wantsMore(_ state: inout State) -> Bool {
        guard !state.waiters.isEmpty, state.opening == 0, state.open.count < limits.connections, !state.isClosed,
            state.pause == nil
        else { return false }
        state.opening = 1
        return true
    }

    private func release(_ link: Link) {
        if link.isIdle { return put(link) }
        link.close()
        isGone(link)
    }

    private func put(_ link: Link) {
        let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
            guard state.open[ObjectIdentifier(link)] != nil, !state.isClosed else { return (nil, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst().waiter, false) }
            state.idle.append(link)
            return (nil, false)
        }
        if isClosed {
            link.close()
            return isGone(link)
        }
        waiter?.resume(returning: link)
    }

    private func isGone(_ link: Link) {
        let begins = state.withLock { state in
            state.open[ObjectIdentifier(link)] = nil
            state.idle.removeAll { $0 === link }
            if wantsMore(&state) { return true }
            // Connects at once, so that the status shows whether the server works.
            guard state.open.isEmpty, state.opening == 0, !state.isClosed else { return false }
            state.opening = 1
            return true
        }
        if begins { open() }
    }

    // MARK: Connecting

    /// Connects on the connector's thread. The caller has set `opening` to 1.
    private func open() {
        connector.async { [weak self, address] in
            let attempt = address.connect()
            guard let self else {
                if case .connected(let made) = attempt {
                    Link(made.connection, onNotify: {}, onBreak: { _ in }).close()
                }
                return
            }
            switch attempt {
            case .failed(let error): failed(error)
            case .connected(let made):
                let link = Link(made.connection, onNotify: {}) { [weak self] in self?.isGone($0) }
                Task { [weak self] in await self?.finish(link) }
            }
        }
    }

    private func finish(_ link: Link) async {
        do {
            try await link.script(limits.script, within: .seconds(10))
            try await prepare(link)
        } catch {
            link.close()
            return failed((error as? ServerError)?.brokerError ?? error as? BrokerError ?? .unavailable("\(error)"))
        }
        state.withLock { state in
            state.opening = 0
            state.failure = nil
            state.attempt = 0
            state.pause = nil
            state.open[ObjectIdentifier(link)] = link
            if !state.isConnected, !state.isClosed {
                state.isConnected = true
                report(.connected(server: "PostgreSQL \(link.version / 10_000).\(link.version % 10_000)"))
            }
        }
        // If the link ended before it was stored in `open`, its report had no effect. `release` checks the link again.
        release(link)
        signal.send()
        let begins = state.withLock { wantsMore(&$0) }
        if begins { open() }
    }

    private func failed(_ error: BrokerError) {
        let (waiters, pause) = state.withLock { state -> ([Waiter], (key: UInt64, milliseconds: Int)?) in
            state.opening = 0
            if state.isClosed { return ([], nil) }
            state.attempt += 1
            state.lastKey += 1
            state.pause = state.lastKey
            let pause = (state.lastKey, min(5_000, 50 << min(state.attempt - 1, 7)))
            // If other connections work, calls wait for them: the server may have refused only an additional
            // connection.
            guard state.open.isEmpty else { return ([], pause) }
            state.failure = error
            state.isConnected = false
            report(.connecting(attempt: state.attempt + 1, why: error.why))
            defer { state.waiters = [] }
            return (state.waiters.map(\.waiter), pause)
        }
        for waiter in waiters { waiter.resume(throwing: error) }
        guard let (key, most) = pause else { return }
        connector.asyncAfter(deadline: .now() + .milliseconds(.random(in: most / 2...most))) { [weak self] in
            self?.tryAgain(after: key)
        }
    }

    /// Connects unless a connection was made or another attempt failed during the pause.
    private func tryAgain(after pause: UInt64) {
        let begins = state.withLock { state in
            guard state.pause == pause else { return false }
            state.pause = nil
            if state.opening > 0 || state.isClosed { return false }
            if state.failure == nil { return wantsMore(&state) }
            state.opening = 1
            return true
        }
        if begins { open() }
    }

    private func report(_ status: BrokerStatus) {
        reports.async { [statuses] in statuses.onNext(status) }
    }

    // MARK: Closing

    func close() {
        let (links, waiters, isFirst) = state.withLock { state -> ([Link], [Waiter], Bool) in
            defer {
                state.isClosed = true
                state.idle = []
                state.waiters = []
            }
            return (Array(state.open.values), state.waiters.map(\.waiter), !state.isClosed)
        }
        guard isFirst else { return }
        for waiter in waiters { waiter.resume(throwing: BrokerError.closed) }
        for link in links { link.close() }
        signal.send()
        reports.async { [statuses] in
            statuses.onNext(.closed)
            statuses.onCompleted()
        }
    }

    /// Opens a connection that listens, outside of the pool.
    func separate(
        onNotify: @escaping @Sendable () -> Void, onBreak: @escaping @Sendable (Link) -> Void
    ) async throws -> Link {
        let attempt = await withCheckedContinuation { continuation in
            connector.async { [address] in continuation.resume(returning: address.connect()) }
        }
        switch attempt {
        case .failed(let error): throw error
        case .connected(let made):
            let link = Link(made.connection, onNotify: onNotify, onBreak: onBreak)
            try await link.script(limits.script, within: .seconds(10))
            return link
        }
    }
}

extension BrokerError {
    var why: String {
        switch self {
        case .unavailable(let why), .refused(let why): why
        default: description
        }
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }

    var nanoseconds: Int {
        Int(clamping: components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}
