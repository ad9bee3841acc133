import GRDB
import LogTailModel

struct Key: Hashable, Comparable, CustomStringConvertible {
    let second: Int
    let status: Int

    static func < (left: Key, right: Key) -> Bool { (left.second, left.status) < (right.second, right.status) }

    var description: String { "second \(second), status \(status)" }
}

/// Guards: `transactions` belongs to the store's thread; the main thread reads it after the end.
final class Store: @unchecked Sendable {  // because of the guard; `DatabaseQueue` is thread-safe
    private let database: DatabaseQueue
    private(set) var transactions = 0

    init(path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        configuration.journalMode = .wal
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write {
            try $0.create(table: "counts") { table in
                table.column("second", .integer).notNull()
                table.column("status", .integer).notNull()
                table.column("lines", .integer).notNull()
                table.primaryKey(["second", "status"])
            }
        }
    }

    /// Stores windows in one transaction. A second may have several windows, because of late lines.
    func add(_ windows: [Window]) throws {
        try database.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO counts (second, status, lines) VALUES (?, ?, ?)
                    ON CONFLICT (second, status) DO UPDATE SET lines = lines + excluded.lines
                    """)
            for window in windows {
                for (status, lines) in window.lines {
                    try statement.execute(arguments: [window.second, status, lines])
                }
            }
        }
        transactions += 1
    }

    func counts() throws -> [Key: Int] {
        try database.read { database in
            var counts: [Key: Int] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT second, status, lines FROM counts")
            while let row = try rows.next() { counts[Key(second: row[0], status: row[1])] = row[2] }
            return counts
        }
    }
}
