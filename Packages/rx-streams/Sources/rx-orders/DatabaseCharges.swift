import RxStreams
import RxStreamsPostgreSQL

/// One row for each handled order, written in the transaction that acknowledges it. There is no unique constraint, so
/// that repeated charges are counted.
struct DatabaseCharges: Sendable {
    private static let table = "rx_orders_charges"

    private let broker: PostgreSQLBroker

    init(_ broker: PostgreSQLBroker) { self.broker = broker }

    /// Creates the table. Waits while the database is unavailable.
    func prepare() async throws {
        while true {
            do {
                return try await broker.transaction { transaction in
                    // Without the lock, one of two processes that create the table at once would fail.
                    try await transaction.run("SELECT pg_advisory_xact_lock(hashtextextended('\(Self.table)', 0))")
                    try await transaction.run(
                        """
                        CREATE TABLE IF NOT EXISTS \(Self.table) (
                            order_id text NOT NULL, cents bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()
                        )
                        """)
                }
            } catch BrokerError.unavailable {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    func record(_ order: Order, in transaction: PostgreSQLTransaction) async throws {
        try await transaction.run(
            "INSERT INTO \(Self.table) (order_id, cents) VALUES ($1, $2)", [.text(order.id), .integer(order.cents)])
    }

    func counts() async throws -> [String: Int] {
        try await prepare()
        let rows = try await broker.transaction { transaction in
            try await transaction.run("SELECT order_id, count(*) AS count FROM \(Self.table) GROUP BY 1")
        }
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map { row in
                (rows[row, "order_id"] ?? "", Int(rows[row, "count"] ?? "") ?? 0)
            })
    }
}
