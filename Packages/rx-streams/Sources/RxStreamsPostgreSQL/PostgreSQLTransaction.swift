import Dispatch
public import RxResilience
public import RxStreams
public import RxSwift
import Synchronization

/// A transaction that the program runs in the broker's database.
///
/// ```swift
/// try await broker.transaction { transaction in
///     try await transaction.run("INSERT INTO orders (id) VALUES ($1)", [.text(order.id)])
///     try await orders.publish(order, id: order.id, in: transaction)
/// }
/// ```
///
/// The transaction is valid until its closure returns. Concurrent statements run one after another.
public final class PostgreSQLTransaction: Sendable {
    private let link: Link
    fileprivate let driver: PostgreSQLDriver
    private let isOver = Mutex(false)
    /// Whether messages were published. They get their positions after the commit.
    private let hasPublished = Mutex(false)

    init(_ link: Link, _ driver: PostgreSQLDriver) {
        self.link = link
        self.driver = driver
    }

    /// Runs a statement and returns its rows.
    ///
    /// - Parameters:
    ///   - sql: one statement; `$1` is the first parameter. The server infers the types of parameters.
    ///   - parameters: the parameters.
    /// - Throws: `BrokerError`. After an error the transaction can only be rolled back.
    @discardableResult
    public func run(_ sql: String, _ parameters: [PostgreSQLValue] = []) async throws -> PostgreSQLRows {
        PostgreSQLRows(try await rows(sql, parameters.map(\.value), isText: true))
    }

    func rows(_ sql: String, _ values: [Value], isText: Bool = false) async throws -> Rows {
        if isOver.withLock({ $0 }) { throw BrokerError.refused("the transaction has ended") }
        return try await driver.translated {
            try await link.run(sql, values, within: driver.pool.limits.answer, isText: isText)
        }
    }

    func belongs(to other: any StreamDriver) -> Bool { other === driver }

    func publish(_ message: NewMessage, to stream: String) async throws {
        try SubjectPattern.checkSubject(message.subject)
        _ = try await rows(
            driver.schema("SELECT @.rx_publish($1, $2::bytea, $3, $4, $5)"),
            [
                .text(stream), .bytes(message.payload), .text(message.subject), .text(message.id),
                .text(try Headers.column(message.headers)),
            ])
        hasPublished.withLock { $0 = true }
    }

    fileprivate func end() { isOver.withLock { $0 = true } }

    fileprivate func wakeReaders() {
        if hasPublished.withLock({ $0 }) { driver.wakeWaiters() }
    }
}

/// A parameter of a statement.
public enum PostgreSQLValue: Sendable, Equatable {
    /// NULL.
    case null
    /// Text, or a value of any type in PostgreSQL's text format.
    case text(String)
    /// An integer, for a column of any numeric type.
    case integer(Int)
    /// A number, for a column of any numeric type.
    case double(Double)
    /// A truth value.
    case bool(Bool)
    /// Bytes.
    case bytes([UInt8])

    var value: Value {
        switch self {
        case .null: .null
        case .text(let text): .text(text)
        case .integer(let integer): .text(String(integer))
        case .double(let double): .text(String(double))
        case .bool(let bool): .text(bool ? "true" : "false")
        case .bytes(let bytes): .bytes(bytes)
        }
    }
}

/// The rows of a statement.
public struct PostgreSQLRows: Sendable {
    private let rows: Rows
    private let columns: [String: Int]

    init(_ rows: Rows) {
        self.rows = rows
        columns = Dictionary(rows.names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// The number of rows.
    public var count: Int { rows.count }

    /// The number of rows that the statement inserted, changed, deleted or returned.
    public var affected: Int { rows.affected }

    /// Returns a value in PostgreSQL's text format; nil for NULL, and for a row or column that does not exist.
    public subscript(row: Int, column: String) -> String? {
        guard (0..<rows.count).contains(row), let column = columns[column] else { return nil }
        return rows.text(row, column)
    }
}

extension PostgreSQLBroker {
    /// Runs a closure in a transaction, which is committed if the closure returns and rolled back if it throws.
    ///
    /// The isolation level is READ COMMITTED. The broker's streams use other connections. The server rolls the
    /// transaction back if the closure runs no statement for the broker's `idleTransactionTimeout`.
    ///
    /// - Returns: the closure's result.
    /// - Throws: the closure's error; `BrokerError.unavailable(_:)` if the connection is lost. After a loss during the
    ///   commit, the transaction may have been committed.
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLTransaction) async throws -> Result
    ) async throws -> Result {
        try await postgres.transaction(body)
    }
}

/// The connection was lost after COMMIT was sent and before the answer arrived.
struct CommitUnknown: Error {
    let why: BrokerError
}

extension PostgreSQLDriver {
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLTransaction) async throws -> Result
    ) async throws -> Result {
        do {
            return try await committing(body)
        } catch let unknown as CommitUnknown {
            throw unknown.why
        }
    }

    /// - Throws: ``CommitUnknown`` if the transaction may have been committed.
    func committing<Result: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLTransaction) async throws -> Result
    ) async throws -> Result {
        try checkOpen()
        return try await transactions.with { [self] link in
            let timeout = pool.limits.answer
            try await translated { try await link.script("BEGIN", within: timeout) }
            let transaction = PostgreSQLTransaction(link, self)
            let result: Result
            do {
                result = try await body(transaction)
                transaction.end()
            } catch {
                transaction.end()
                // If this fails, the pool closes the connection, which also rolls back.
                try? await link.script("ROLLBACK", within: .seconds(5))
                throw error
            }
            let ended: Rows
            do {
                ended = try await link.run("COMMIT", within: timeout)
            } catch let error as ServerError {
                // The outcome is unknown only if the session was terminated.
                if error.state.hasPrefix("57P") { throw CommitUnknown(why: error.brokerError) }
                throw error.brokerError
            } catch let error as BrokerError {
                throw CommitUnknown(why: error)
            }
            guard ended.command == "COMMIT" else {
                throw BrokerError.refused("a statement failed, so the transaction has been rolled back")
            }
            transaction.wakeReaders()
            return result
        }
    }
}

extension DurableStream {
    /// Publishes an element, which is stored only if the transaction commits.
    ///
    /// The stream must exist; see `DurableStream.ensure()`. After the commit, the next process that reads the stream or
    /// handles its messages assigns the position.
    ///
    /// - Parameters:
    ///   - element: the element.
    ///   - id: the element's id for duplicate detection, at most 2 048 bytes; nil for none.
    ///   - subject: the element's subject; nil for the stream's first subject, with `all` in place of each wildcard.
    ///   - transaction: a transaction of the stream's broker.
    /// - Throws: the codec's error; `BrokerError.refused(_:)` if the subject is not the stream's or the transaction
    ///   belongs to another broker; `BrokerError.missing(_:)` if the stream does not exist.
    public func publish(
        _ element: Element, id: String? = nil, subject: String? = nil, in transaction: PostgreSQLTransaction
    ) async throws {
        guard transaction.belongs(to: driver) else {
            throw BrokerError.refused("the transaction belongs to another broker than stream \(name)")
        }
        try await transaction.publish(
            NewMessage(subject ?? defaultSubject, try codec.encode(element), id: id), to: name)
    }

    /// Handles elements as `work(as:handler:)` does, each in a transaction that also acknowledges it.
    ///
    /// The writes of the handler's transaction take effect exactly once, even if the process, the server or the
    /// connection fails at any moment. Effects elsewhere may happen more than once, because a handler runs again after
    /// a rollback.
    ///
    /// ```swift
    /// orders.work(as: "billing", inTransaction: { order, transaction in
    ///     try await transaction.run("INSERT INTO charges (order_id) VALUES ($1)", [.text(order.id)])
    /// })
    /// ```
    ///
    /// If the connection is lost during a commit, the worker asks the server for the outcome. If another member has
    /// received the element by then, the transaction has been rolled back, and the sequence sends `Outcome.untold(_:)`.
    ///
    /// Errors, buffering, disposal, threads, and the parameters `group`, `retry`, `attempts`, `dead`, `deadline`,
    /// `start`, `subject` and `drain` are as for `work(as:handler:)`. At most `concurrency` calls of `handler` run at
    /// once. A call waits while all transactions of the broker are in use. A handler that runs no statement for the
    /// broker's `idleTransactionTimeout`, a minute by default, is rolled back and retried. The sequence fails with
    /// `BrokerError.refused(_:)` if the stream does not belong to a ``PostgreSQLBroker``.
    public func work(
        as group: String, concurrency: Int = 1,
        retry: RetryPolicy = .exponential(from: .seconds(1), limit: .seconds(300)), attempts: Int = 8,
        dead: String? = nil, deadline: RxTimeInterval = .seconds(30), from start: ReplayStart = .beginning,
        subject: String? = nil, until drain: Drain? = nil,
        inTransaction handler: @escaping @Sendable (Element, PostgreSQLTransaction) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        guard let driver = driver as? PostgreSQLDriver else {
            return .error(BrokerError.refused("stream \(name) does not belong to a PostgreSQLBroker"))
        }
        return work(
            as: group, concurrency: concurrency, retry: retry, attempts: attempts, dead: dead, deadline: deadline,
            from: start, subject: subject, until: drain
        ) { delivery in
            guard let token = DeliveryToken(delivery.pulled.token) else { throw DeliveryLost() }
            do {
                try await driver.committing { transaction in
                    try await handler(delivery.element, transaction)
                    try await transaction.acknowledge(token)
                }
            } catch let unknown as CommitUnknown {
                try await driver.find(token, after: unknown)
            }
        }
    }
}

extension PostgreSQLTransaction {
    /// Acknowledges a delivery. This must be the last statement, because it locks the delivery's row until the
    /// transaction ends.
    ///
    /// - Throws: ``DeliveryLost`` if another member has the message.
    fileprivate func acknowledge(_ token: DeliveryToken) async throws {
        let rows = try await rows(
            driver.schema("SELECT @.acknowledge($1, $2, $3)"),
            [.integer(token.group), .integer(token.position), .integer(token.member)])
        if rows.bool(0, 0) != true { throw DeliveryLost() }
    }
}

extension PostgreSQLDriver {
    /// Returns normally if the acknowledging transaction has been committed.
    ///
    /// - Throws: the error of the lost commit if the transaction has been rolled back; ``DeliveryLost`` if the outcome
    ///   stays unknown, another member has the message, or the group has been removed.
    func find(_ token: DeliveryToken, after unknown: CommitUnknown) async throws {
        for _ in 0..<20 {
            let (cursor, rows): (Int64?, Rows)
            do {
                try checkOpen()
                // Uses one connection, so that a crash of the server between the statements causes an error.
                (cursor, rows) = try await translated { try await pool.with { try await self.look(for: token, $0) } }
            } catch BrokerError.unavailable {
                try await sleep(.milliseconds(500))
                continue
            }
            if rows.count > 0 { throw rows.bool(0, 0) == true ? unknown.why : DeliveryLost() }
            guard let cursor else { throw DeliveryLost() }
            // A crash of the server has undone the pull, which was committed asynchronously. The transaction's commit
            // follows the pull in the server's log, so the crash has undone the transaction too.
            if cursor < token.position { throw unknown.why }
            return
        }
        throw DeliveryLost()
    }

    /// Returns the group's cursor, or nil if there is no group. Also locks the message's row in `deliveries` or `held`,
    /// if there is one. `rows` then has one row: whether the token's member still has the message.
    private func look(for token: DeliveryToken, _ link: Link) async throws -> (cursor: Int64?, rows: Rows) {
        let timeout = pool.limits.answer
        func locked(in table: String) async throws -> Rows {
            try await link.run(
                schema("SELECT member = $3 FROM @.\(table) WHERE in_group = $1 AND position = $2 FOR UPDATE"),
                [.integer(token.group), .integer(token.position), .integer(token.member)], within: timeout)
        }
        // The cursor is read first. If a pull advances it afterwards, the searches below find the row of that pull.
        let cursor = try await link.run(
            schema("SELECT (@.advance_of($1)).cursor"), [.integer(token.group)], within: timeout
        ).integer(0, 0)
        // This query waits for the row's lock until the lost transaction has ended.
        let rows = try await locked(in: "deliveries")
        // `held` is searched second, because a message may move from `deliveries` to `held`, but never back.
        return (cursor, rows.count == 0 ? try await locked(in: "held") : rows)
    }
}
