import GRDB
import RxStreams

/// `user_version` is the number of migration steps taken. It is read and increased in one transaction, so only one
/// process takes the steps.
enum Schema {
    /// The identifier in the header of a broker's file: "RxSt".
    static let application: Int32 = 0x5278_5374

    /// Each step converts a version to the next. Never change a published step.
    static let steps: [@Sendable (Database) throws -> Void] = [first]

    /// - Throws: `BrokerError.refused(_:)` if the file belongs to another program or has a later version.
    static func prepare(_ db: Database) throws {
        try db.inTransaction(.immediate) {
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            if application != Self.application {
                let holds = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
                guard application == 0, version == 0, holds == 0 else {
                    throw BrokerError.refused("it is a database of another program")
                }
            }
            guard version <= steps.count else {
                throw BrokerError.refused(
                    "it was made by a later version (schema \(version); this program supports up to \(steps.count))")
            }
            if version == steps.count {
                // SQLite opens a read-only file without an error. This statement fails for such files.
                try db.execute(sql: "DELETE FROM cells WHERE 0")
                return .commit
            }
            for step in steps[version...] { try step(db) }
            try db.execute(sql: "PRAGMA user_version = \(steps.count)")
            try db.execute(sql: "PRAGMA application_id = \(Self.application)")
            return .commit
        }
    }

    /// Rewrites a page unchanged. Fails if the file is locked or the disk is full.
    static func touch(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(application)")
    }

    /// Times are microseconds since 1970, spans are in microseconds. The positions of a stream have no gaps, so
    /// messages need not be counted. For keys of messages, see ``MessageKey``.
    @Sendable
    private static func first(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE streams (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL UNIQUE,
                    subjects TEXT NOT NULL,
                    keeps_age INTEGER, keeps_count INTEGER, keeps_bytes INTEGER,
                    remembers INTEGER NOT NULL,
                    first INTEGER NOT NULL DEFAULT 1,
                    last INTEGER NOT NULL DEFAULT 0,
                    bytes INTEGER NOT NULL DEFAULT 0,
                    time INTEGER NOT NULL DEFAULT 0
                );
                CREATE TABLE messages (
                    key INTEGER PRIMARY KEY,
                    subject TEXT NOT NULL,
                    time INTEGER NOT NULL,
                    id TEXT,
                    headers TEXT,
                    payload BLOB NOT NULL
                );
                CREATE TABLE recent_ids (
                    stream INTEGER NOT NULL, id TEXT NOT NULL,
                    position INTEGER NOT NULL, time INTEGER NOT NULL,
                    PRIMARY KEY (stream, id)
                ) WITHOUT ROWID;
                CREATE INDEX recent_ids_by_time ON recent_ids (stream, time);
                CREATE TABLE member_groups (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    stream INTEGER NOT NULL,
                    name TEXT NOT NULL,
                    filter TEXT,
                    max_unsettled INTEGER NOT NULL,
                    cursor INTEGER NOT NULL,
                    unsettled INTEGER NOT NULL DEFAULT 0,
                    UNIQUE (stream, name)
                );
                CREATE TABLE deliveries (
                    in_group INTEGER NOT NULL, position INTEGER NOT NULL,
                    attempt INTEGER NOT NULL,
                    due INTEGER NOT NULL,
                    member INTEGER,
                    PRIMARY KEY (in_group, position)
                ) WITHOUT ROWID;
                CREATE INDEX deliveries_by_due ON deliveries (in_group, due, position);
                CREATE TRIGGER delivered AFTER INSERT ON deliveries BEGIN
                    UPDATE member_groups SET unsettled = unsettled + 1 WHERE id = NEW.in_group;
                END;
                CREATE TRIGGER settled AFTER DELETE ON deliveries BEGIN
                    UPDATE member_groups SET unsettled = unsettled - 1 WHERE id = OLD.in_group;
                END;
                CREATE TABLE live_messages (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    sender INTEGER NOT NULL, time INTEGER NOT NULL,
                    subject TEXT NOT NULL, id TEXT, headers TEXT, payload BLOB NOT NULL
                );
                CREATE INDEX live_messages_by_time ON live_messages (time);
                CREATE TABLE cells (
                    name TEXT PRIMARY KEY, revision INTEGER NOT NULL, payload BLOB NOT NULL
                ) WITHOUT ROWID;
                """)
    }
}
