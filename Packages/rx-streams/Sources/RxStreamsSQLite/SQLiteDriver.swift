import Dispatch
import GRDB
public import RxStreams
public import RxSwift
import Synchronization

/// Streams, groups and cells in an SQLite file. See ``SQLiteBroker``.
///
/// Guards: `state` is protected by its lock. The code that takes `closer` resumes it once, outside of the lock. All
/// other members are constant.
public final class SQLiteDriver: LiveDriver {
    private struct State {
        var isClosed = false
        /// The group of each member that has not left.
        var members: [Int64: Int64] = [:]
        var underWay = 0
        /// The task that waits in `idle()`.
        var closer: CheckedContinuation<Void, Never>?
        var isProbing = false
    }

    public let scheduler: any SchedulerType & Sendable
    /// The file's path, as given.
    public let path: String
    private let pool: DatabasePool
    private let commits: GroupCommit
    private let watch: FileWatch
    private let listeners = Listeners()
    private let statuses: ReplaySubject<BrokerStatus>
    private let now: @Sendable () -> RxTime
    /// Identifies this driver among those that share the file.
    private let id = Int64.random(in: 1 ... .max)
    private let state = Mutex(State())
    private let closing = Once()

    /// Opens or creates a file. See ``SQLiteBroker/init(path:)``.
    public convenience init(path: String) throws {
        try self.init(path: path, now: { RxTime() })
    }

    /// - Parameters:
    ///   - now: the clock for the deadlines in the file.
    ///   - patience: how long to wait for a locked file.
    init(path: String, now: @escaping @Sendable () -> RxTime, patience: Duration = DatabaseFile.patience) throws {
        self.path = path
        self.now = now
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
        self.scheduler = scheduler
        let statuses = ReplaySubject<BrokerStatus>.create(bufferSize: 1)
        self.statuses = statuses
        let whole: String
        do {
            whole = try DatabaseFile.whole(path)
            pool = try DatabaseFile.open(whole, patience: patience)
            watch = try FileWatch(whole, DatabaseFile.configuration(patience: patience), scheduler)
        } catch let error as DatabaseError {
            throw BrokerError(error, path: path, isFirst: true)
        } catch BrokerError.refused(let why) {
            throw BrokerError.refused("'\(path)': \(why)")
        }
        let attempts = Mutex(0)
        commits = GroupCommit(pool, whyLost: DatabaseFile.guardian(whole)) { error in
            // Called in the writer queue, so the states are sent in order.
            if let error, case .unavailable(let why) = BrokerError(error, path: path) {
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                statuses.onNext(.connecting(attempt: attempt, why: why))
            } else if attempts.withLock({ $0.exchange(0) }) > 0 {
                statuses.onNext(DatabaseFile.connected)
            }
        }
        statuses.onNext(DatabaseFile.connected)
    }

    public var executor: (any TaskExecutor)? { nil }

    public var status: Observable<BrokerStatus> { statuses.asObservable() }

    public func close() async {
        await closing.run { await self.handBackAndClose() }
    }

    private func handBackAndClose() async {
        let members = state.withLock { state in
            state.isClosed = true
            return state.members
        }
        watch.signal.send()
        // No task may begin to use GRDB's pool while the pool is being closed.
        await idle()
        try? await commits.write { [now] db in
            for (member, group) in members {
                try? GroupRecord.of(group, db).0.handBack(from: member, now: now().microseconds, db)
            }
        }
        // Empties the WAL file here, because the last connection to close may be read-only.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        listeners.close()
        await withCheckedContinuation { continuation in
            // Closing blocks until accesses in progress have ended.
            DispatchQueue.global().async { [self] in
                try? watch.close()
                try? pool.close()
                continuation.resume()
            }
        }
        statuses.onNext(.closed)
        statuses.onCompleted()
    }
}

// MARK: - Transactions

extension SQLiteDriver {
    enum Look<Found: Sendable>: Sendable {
        case found(Found)
        /// Search again when the file changes, or at the time `until`, if it is not nil.
        case nothing(until: Microseconds?)
        case unfinished
    }

    func checkOpen() throws {
        if state.withLock({ $0.isClosed }) { throw BrokerError.closed }
    }

    private func begin() throws {
        try state.withLock { state in
            if state.isClosed { throw BrokerError.closed }
            state.underWay += 1
        }
    }

    private func end() {
        let closer = state.withLock { state in
            state.underWay -= 1
            return state.underWay == 0 ? state.closer.take() : nil
        }
        closer?.resume()
    }

    /// Waits until no read or write is in progress. Call it once.
    private func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.underWay > 0 { state.closer = continuation }
                return state.underWay == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Runs a write. Several callers may share a transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Microseconds) throws -> Value
    ) async throws -> Value {
        try begin()
        defer { end() }
        do {
            return try await commits.write { [now] db in try body(db, now().microseconds) }
        } catch {
            let error = broken(error)
            if case BrokerError.unavailable = error { probe() }
            throw error
        }
    }

    /// Tries a write each second until one succeeds. Only a write changes the status.
    private func probe() {
        let begins = state.withLock { state in
            defer { state.isProbing = true }
            return !state.isProbing
        }
        guard begins else { return }
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(1))
            self?.state.withLock { $0.isProbing = false }
            try? await self?.write { db, _ in try Schema.touch(db) }
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Microseconds) throws -> Value
    ) async throws -> Value {
        try begin()
        defer { end() }
        do {
            return try await pool.read { [now] db in try body(db, now().microseconds) }
        } catch {
            throw broken(error)
        }
    }

    private func broken(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return state.withLock { $0.isClosed } ? BrokerError.closed : BrokerError(error, path: path)
    }

    /// Wakes this driver's waiting tasks. Other drivers and processes detect changes themselves.
    func wakeWaiters() {
        watch.signal.send()
    }

    /// Repeats a search until it finds something or the span has passed.
    func wait<Found: Sendable>(
        within span: RxTimeInterval, until look: () async throws -> Look<Found>
    ) async throws -> Found? {
        let end = ContinuousClock.now + .nanoseconds(span.nanosecondsClamped)
        while true {
            let seen = watch.signal.count
            try checkOpen()
            try Task.checkCancellation()
            switch try await look() {
            case .found(let found): return found
            case .unfinished: continue
            case .nothing(let due):
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero else { return nil }
                var pause = left
                if let due {
                    // Adds one millisecond, so that `due` has passed after the wait.
                    pause = min(pause, max(.zero, .microseconds(due - now().microseconds)) + .milliseconds(1))
                }
                await watch.wait(after: seen, atMost: .nanoseconds(pause.nanoseconds))
            }
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int {
        Int(clamping: components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}

extension Int {
    fileprivate mutating func exchange(_ other: Int) -> Int {
        defer { self = other }
        return self
    }
}

// MARK: - Streams

extension SQLiteDriver: StreamTelling {
    public func ensure(_ stream: StreamSettings) async throws {
        try stream.check()
        if try await read({ db, _ in try StreamRecord.isThere(stream, db) }) { return }
        try await write { db, _ in try StreamRecord.ensure(stream, db) }
        while try await !write({ db, now in try StreamRecord.purge(stream.name, now: now, db) }) {}
        wakeWaiters()
    }

    public func remove(stream: String) async throws {
        try await write { db, _ in try StreamRecord.remove(stream, db) }
        wakeWaiters()
    }

    public func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        if messages.isEmpty { return [] }
        let receipts = try await write { db, now in
            var stream = try StreamRecord.named(stream, db)
            return try stream.append(messages, now: now, db)
        }
        wakeWaiters()
        return receipts
    }

    public func read(
        _ stream: String, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage] {
        try await read(stream, identity: nil, from: position, limit: limit, within: span)
    }

    package func read(
        _ stream: String, identity: Int64?, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage] {
        guard limit >= 1 else { throw BrokerError.refused("\(limit) messages cannot be read") }
        let found = try await wait(within: span) {
            let messages = try await read { db, now in
                try StreamRecord.named(stream, id: identity, db)
                    .messages(from: position.column, limit: limit, now: now, db)
            }
            return messages.isEmpty ? .nothing(until: nil) : .found(messages)
        }
        return found ?? []
    }

    public func locate(_ start: ReplayStart, in stream: String) async throws -> Position {
        try await find(start, in: stream).position
    }

    package func find(_ start: ReplayStart, in stream: String) async throws -> (position: Position, identity: Int64) {
        try await read { db, now in
            let stream = try StreamRecord.named(stream, db)
            let position = min(try stream.position(of: start, now: now, db), stream.last + 1)
            return (Position(column: position), stream.id)
        }
    }

    public func summary(of stream: String) async throws -> StreamSummary {
        try await read { db, now in
            let stream = try StreamRecord.named(stream, db)
            let first = try stream.firstKept(now: now, db)
            return StreamSummary(
                first: Position(column: first), last: Position(column: stream.last), count: Int(stream.last - first + 1)
            )
        }
    }
}

// MARK: - Groups

extension SQLiteDriver {
    public func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        try group.check()
        let id = try await write { db, now in try GroupRecord.ensure(group, of: stream, now: now, db) }
        let member = Int64.random(in: 1 ... .max)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.members[member] = id }
            return !state.isClosed
        }
        guard isOpen else { throw BrokerError.closed }
        return SQLiteMember(self, group: id, member: member, deadline: group.deadline.microseconds)
    }

    public func remove(group: String, of stream: String) async throws {
        try await write { db, _ in try GroupRecord.remove(group, of: stream, db) }
        wakeWaiters()
    }

    public func summary(of group: String, in stream: String) async throws -> GroupSummary {
        try await read { db, now in
            let stream = try StreamRecord.named(stream, db)
            return try GroupRecord.named(group, in: stream, db).summary(in: stream, now: now, db)
        }
    }

    func isMember(_ member: Int64) -> Bool {
        state.withLock { !$0.isClosed && $0.members[member] != nil }
    }

    /// Returns false if the member has left or the driver is closed.
    func removeMember(_ member: Int64) -> Bool {
        state.withLock { !$0.isClosed && $0.members.removeValue(forKey: member) != nil }
    }
}

// MARK: - Subjects and cells

extension SQLiteDriver {
    public func send(_ message: NewMessage) async throws {
        try checkOpen()
        try SubjectPattern.checkSubject(message.subject)
        // Sends to this driver's listeners. Other drivers read the message from the file.
        listeners.send(message)
        try await write { [id] db, now in try LiveRecord.send(message, from: id, now: now, db) }
        wakeWaiters()
    }

    public func messages(on pattern: String) -> Observable<NewMessage> {
        Observable<NewMessage>.create { [self] observer in
            nonisolated(unsafe) let here = listeners.messages(on: pattern).subscribe(observer)  // has its own guard
            let task = Task { await listen(pattern, observer) }
            return Disposables.create {
                here.dispose()
                task.cancel()
            }
        }
        .waitingForRoom()
    }

    /// Sends the observer the messages that other processes send after the first read.
    private func listen(_ pattern: String, _ observer: AnyObserver<NewMessage>) async {
        guard let pattern = try? SubjectPattern(pattern) else { return }
        var last: Int64?
        while !Task.isCancelled, (try? checkOpen()) != nil {
            let seen = watch.signal.count
            var pause = RxTimeInterval.never
            do {
                guard let after = last else {
                    last = try await read { db, _ in try LiveRecord.last(db) }
                    continue
                }
                let (sent, through) = try await read { [id] db, _ in
                    try LiveRecord.messages(after: after, notFrom: id, db)
                }
                last = through
                for message in sent where pattern.matches(message.subject) { observer.onNext(message) }
                if !sent.isEmpty { continue }
            } catch {
                pause = .milliseconds(500)
            }
            await watch.wait(after: seen, atMost: pause)
        }
    }

    public func load(_ cell: String) async throws -> CellValue? {
        try await read { db, _ in try CellValue.load(cell, db) }
    }

    public func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        let stored = try await write { db, _ in try CellValue.store(payload, in: cell, expecting: revision, db) }
        wakeWaiters()
        return stored
    }

    public func values(of cell: String) -> Observable<CellValue> {
        Observable.create { [self] observer in
            let task = Task {
                var last: UInt64 = 0
                while !Task.isCancelled {
                    let seen = watch.signal.count
                    guard (try? checkOpen()) != nil else { return observer.onCompleted() }
                    var pause = RxTimeInterval.never
                    do {
                        if let value = try await load(cell), value.revision > last {
                            last = value.revision
                            try await observer.send(value)
                        }
                    } catch is CancellationError {
                        return
                    } catch {
                        pause = .milliseconds(500)
                    }
                    await watch.wait(after: seen, atMost: pause)
                }
            }
            return Disposables.create { task.cancel() }
        }
    }
}
