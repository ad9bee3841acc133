public import RxStreams

/// Durable streams for several machines, in an existing PostgreSQL database.
///
/// ```swift
/// let broker = try PostgreSQLBroker("postgres://app@db.example.com/shop")
/// let orders = broker.stream("orders", of: Order.self)
/// ```
///
/// The broker creates or migrates its schema.
///
/// - **Durability**: a publication returns when its commit is on the disk, even with `synchronous_commit = off`. With
///   the server's default settings, the commit is then also on synchronous standbys. Pulls and verdicts are committed
///   asynchronously: after a crash of the server, messages that were handled within the last second may be delivered
///   again.
/// - **Time**: deadlines, pauses, ages and the duplicate window use the server's clock. After the clock is set back,
///   the remaining time of a deadline or pause is at most the longest deadline or pause that its group has used.
/// - **Latency**: each process sends notifications at most once every 10 ms. Without a notification, waiting calls
///   query every 500 ms, or every 50 ms while the notifying connection is lost.
/// - **Sizes**: ids, headers and cell names must not contain NUL. An id has at most 2 048 bytes.
/// - **TLS**: unless the URL or `PGSSLMODE` sets an `sslmode`, connections to other hosts use `verify-full`.
/// - **Errors**: calls fail with `BrokerError.unavailable(_:)` while no connection works, and after a timeout, a
///   deadlock, a full disk, or too many connections. They fail with `BrokerError.refused(_:)` because of a wrong
///   password, a missing database, missing rights, or a schema of a later version.
public final class PostgreSQLBroker: Broker {
    /// The driver that stores the streams.
    public let driver: any LiveDriver

    let postgres: PostgreSQLDriver

    /// Creates a broker and starts connecting.
    ///
    /// - Parameters:
    ///   - url: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE`, with the parameters of libpq. Missing parts
    ///     come from the `PG*` environment variables and the password file.
    ///   - schema: the schema of the broker's tables: lower-case letters, digits and `_`. The broker creates it.
    ///   - connections: the maximum number of connections for streams, besides the one that listens; at least 1.
    ///   - transactions: the maximum number of the program's concurrent transactions, each with its own connection; at
    ///     least 1. Further ones wait.
    ///   - statementTimeout: the limit for one statement; from 100 ms to 24 days.
    ///   - idleTransactionTimeout: how long a transaction of the program may run no statement, for example while a
    ///     handler calls another service; from 100 ms to 24 days. Then the server rolls the transaction back. If the
    ///     program's host vanishes, the transaction's row locks remain for this time.
    /// - Throws: `BrokerError.refused(_:)` if the URL or the name of the schema is invalid.
    public init(
        _ url: String, schema: String = "rx_streams", connections: Int = 8, transactions: Int = 8,
        statementTimeout: Duration = .seconds(30), idleTransactionTimeout: Duration = .seconds(60)
    ) throws {
        var limits = Pool.Limits()
        limits.connections = max(1, connections)
        limits.statement = Self.setting(statementTimeout)
        postgres = PostgreSQLDriver(
            try PostgreSQLAddress(url), schema: try Schema(schema), limits: limits,
            transactions: max(1, transactions), idle: Self.setting(idleTransactionTimeout))
        driver = postgres
    }

    /// Returns the span as a setting of the server: milliseconds in 32 bits, where 0 would mean no limit.
    private static func setting(_ span: Duration) -> Duration {
        min(max(.milliseconds(100), span), .milliseconds(Int32.max))
    }

    /// Returns the script with which an administrator can create or update the broker's schema.
    ///
    /// - Parameters:
    ///   - schema: the schema's name.
    ///   - version: the version of the existing schema; 0 for none.
    /// - Throws: `BrokerError.refused(_:)` if the name is invalid or the version does not exist.
    public static func schemaScript(_ schema: String = "rx_streams", from version: Int = 0) throws -> String {
        guard 0...Schema.steps.count ~= version else {
            throw BrokerError.refused("there is no version \(version): the latest is \(Schema.steps.count)")
        }
        return try Schema(schema).script(from: version)
    }
}
