import Foundation
import GRDB
import RxStreams

/// Operations on a stream inside a transaction. Messages older than the maximum age are hidden at once; each append
/// deletes some of them.
struct StreamRecord {
    let id: Int64
    let name: String
    let subjects: [String]
    let keepsAge: Microseconds?
    let keepsCount: Int64?
    let keepsBytes: Int64?
    let remembers: Microseconds
    var first: Int64
    var last: Int64
    var bytes: Int64
    var time: Microseconds

    var key: MessageKey { MessageKey(stream: id) }

    private init(_ row: Row) {
        id = row["id"]
        name = row["name"]
        subjects = (row["subjects"] as String).split(separator: "\n").map(String.init)
        keepsAge = row["keeps_age"]
        keepsCount = row["keeps_count"]
        keepsBytes = row["keeps_bytes"]
        remembers = row["remembers"]
        first = row["first"]
        last = row["last"]
        bytes = row["bytes"]
        time = row["time"]
    }

    static func named(_ name: String, id: Int64? = nil, _ db: Database) throws -> StreamRecord {
        guard let row = try db.row("SELECT * FROM streams WHERE name = ?", [name.column]) else {
            throw BrokerError.missing("stream \(name)")
        }
        let stream = StreamRecord(row)
        // The stream may have been removed and created again.
        if let id, stream.id != id { throw BrokerError.missing("stream \(name)") }
        return stream
    }

    static func of(_ id: Int64, _ db: Database) throws -> StreamRecord? {
        try db.row("SELECT * FROM streams WHERE id = ?", [id]).map(StreamRecord.init)
    }
}

// MARK: - Making and removing

extension StreamRecord {
    static func ensure(_ settings: StreamSettings, _ db: Database) throws {
        let patterns = try settings.subjects.map(SubjectPattern.init)
        let others = try db.rows("SELECT name, subjects FROM streams WHERE name <> ?", [settings.name])
        while let other = try others.next() {
            for subject in (other[1] as String).split(separator: "\n") {
                let theirs = try SubjectPattern(String(subject))
                if let ours = patterns.first(where: theirs.overlaps) {
                    throw BrokerError.refused(
                        "'\(ours)' of stream \(settings.name) overlaps with '\(theirs)' of stream \(other[0] as String)"
                    )
                }
            }
        }
        let keeping = settings.keeping
        try db.run(
            """
            INSERT INTO streams (name, subjects, keeps_age, keeps_count, keeps_bytes, remembers)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET
                subjects = excluded.subjects, keeps_age = excluded.keeps_age, keeps_count = excluded.keeps_count,
                keeps_bytes = excluded.keeps_bytes, remembers = excluded.remembers
            """,
            [
                settings.name, settings.subjects.joined(separator: "\n"), keeping.age?.microseconds, keeping.count,
                keeping.bytes, settings.duplicateWindow.microseconds,
            ])
    }

    static func isThere(_ settings: StreamSettings, _ db: Database) throws -> Bool {
        guard let row = try db.row("SELECT * FROM streams WHERE name = ?", [settings.name]) else { return false }
        let stream = StreamRecord(row)
        return stream.subjects.elementsEqual(settings.subjects) { $0.hasBytes(of: $1) }
            && stream.keepsAge == settings.keeping.age?.microseconds
            && stream.keepsCount == settings.keeping.count.map(Int64.init)
            && stream.keepsBytes == settings.keeping.bytes.map(Int64.init)
            && stream.remembers == settings.duplicateWindow.microseconds
    }

    static func remove(_ name: String, _ db: Database) throws {
        guard let id = try db.value("SELECT id FROM streams WHERE name = ?", [name.column], as: Int64.self) else {
            return
        }
        let key = MessageKey(stream: id)
        try db.run("DELETE FROM deliveries WHERE in_group IN (SELECT id FROM member_groups WHERE stream = ?)", [id])
        try db.run("DELETE FROM member_groups WHERE stream = ?", [id])
        try db.run("DELETE FROM recent_ids WHERE stream = ?", [id])
        try db.run("DELETE FROM messages WHERE key > ? AND key < ?", [key.base, key.end])
        try db.run("DELETE FROM streams WHERE id = ?", [id])
    }
}

// MARK: - Keeping

extension StreamRecord {
    mutating func append(_ messages: [NewMessage], now: Microseconds, _ db: Database) throws -> [Receipt] {
        try check(messages)
        // Times never decrease, even if the clock is set back, because `firstPosition` searches them by bisection.
        let now = max(now, time)
        let receipts = try messages.map { try append($0, now: now, db) }
        try forget(atMost: messages.count + 1_000, now: now, db)
        try purge(atMost: messages.count + 1_000, now: now, db)
        time = now
        try save(db)
        return receipts
    }

    private func check(_ messages: [NewMessage]) throws {
        let patterns = try subjects.map(SubjectPattern.init)
        for message in messages {
            try SubjectPattern.checkSubject(message.subject)
            if !patterns.contains(where: { $0.matches(message.subject) }) {
                throw BrokerError.refused("'\(message.subject)' is not a subject of stream \(name)")
            }
            if let most = keepsBytes, message.payload.count > most {
                throw BrokerError.refused(
                    "stream \(name) retains at most \(most) bytes, and a message has \(message.payload.count)")
            }
        }
    }

    private mutating func append(_ message: NewMessage, now: Microseconds, _ db: Database) throws -> Receipt {
        if let id = message.id {
            let known = try db.value(
                "SELECT position FROM recent_ids WHERE stream = ? AND id = ? AND time > ?",
                [self.id, id.column, now - remembers], as: Int64.self)
            if let known { return Receipt(Position(column: known), isDuplicate: true) }
        }
        guard last + 1 < MessageKey.mostPositions else { throw BrokerError.refused("stream \(name) is full") }
        last += 1
        bytes += Int64(message.payload.count)
        try db.run(
            "INSERT INTO messages (\(StoredMessage.columns)) VALUES (?, ?, ?, ?, ?, ?)",
            [
                key[last], message.subject, now, message.id?.column, try Headers.column(message.headers),
                Data(message.payload),
            ])
        if let id = message.id {
            try db.run(
                "INSERT OR REPLACE INTO recent_ids (stream, id, position, time) VALUES (?, ?, ?, ?)",
                [self.id, id.column, last, now])
        }
        return Receipt(Position(column: last))
    }

    private func save(_ db: Database) throws {
        try db.run(
            "UPDATE streams SET first = ?, last = ?, bytes = ?, time = ? WHERE id = ?", [first, last, bytes, time, id])
    }

    private func forget(atMost most: Int, now: Microseconds, _ db: Database) throws {
        try db.run(
            """
            DELETE FROM recent_ids WHERE stream = ?1 AND id IN (
                SELECT id FROM recent_ids WHERE stream = ?1 AND time <= ?2 ORDER BY time LIMIT ?3)
            """,
            [id, now - remembers, most])
    }

    /// Deletes at most `most` messages outside the retention. Returns false if more of them may be left.
    @discardableResult
    mutating func purge(atMost most: Int, now: Microseconds, _ db: Database) throws -> Bool {
        let oldest = try firstKept(now: now, lookingAt: most, db)
        let lastGone = min(oldest - 1, first - 1 + Int64(most))
        guard lastGone >= first else { return true }
        let isDone = lastGone - first + 1 < most
        bytes -=
            try db.value(
                "SELECT SUM(LENGTH(payload)) FROM messages WHERE key >= ? AND key <= ?", [key[first], key[lastGone]])
            ?? 0
        try db.run("DELETE FROM messages WHERE key >= ? AND key <= ?", [key[first], key[lastGone]])
        first = lastGone + 1
        return isDone
    }

    static func purge(_ name: String, now: Microseconds, _ db: Database) throws -> Bool {
        var stream = try named(name, db)
        let isDone = try stream.purge(atMost: 5_000, now: now, db)
        try stream.save(db)
        return isDone
    }
}

// MARK: - Reading

extension StreamRecord {
    /// Returns the oldest retained position; the position after the last one if there is none.
    ///
    /// - Parameter most: the maximum number of messages whose sizes are read. If this number does not suffice, the
    ///   result may be too low.
    func firstKept(now: Microseconds, lookingAt most: Int = .max, _ db: Database) throws -> Int64 {
        var oldest = first
        if let keepsCount { oldest = max(oldest, last - keepsCount + 1) }
        if let keepsAge { oldest = max(oldest, try firstPosition(since: now - keepsAge, db)) }
        if let keepsBytes, bytes > keepsBytes {
            var excess = bytes - keepsBytes
            let sizes = try db.rows(
                "SELECT LENGTH(payload) FROM messages WHERE key >= ? AND key <= ? ORDER BY key LIMIT ?",
                [key[first], key[last], most])
            var position = first
            while excess > 0, let size = try sizes.next() {
                excess -= size[0] as Int64
                position += 1
            }
            oldest = max(oldest, position)
        }
        return oldest
    }

    /// Returns the oldest position with a time of at least `time`; the position after the last one if there is none.
    func firstPosition(since time: Microseconds, _ db: Database) throws -> Int64 {
        var (low, high) = (first, last + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let theirs = try db.value("SELECT time FROM messages WHERE key = ?", [key[middle]]) ?? Microseconds.max
            if theirs < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The limit of one read; a single message may be larger.
    private static let mostBytes = 4 << 20

    /// Returns at least one message if there are any.
    func messages(from position: Int64, limit: Int, now: Microseconds, _ db: Database) throws -> [StoredMessage] {
        let from = max(position, try firstKept(now: now, db))
        guard from <= last else { return [] }
        let rows = try db.rows(
            "SELECT \(StoredMessage.columns) FROM messages WHERE key >= ? AND key <= ? ORDER BY key LIMIT ?",
            [key[from], key[last], limit])
        var (messages, bytes) = ([StoredMessage](), 0)
        while bytes < Self.mostBytes, let row = try rows.next() {
            let message = try StoredMessage(row, in: key)
            bytes += message.message.payload.count
            messages.append(message)
        }
        return messages
    }

    /// Returns the position of `start`, which may be after the last one.
    func position(of start: ReplayStart, now: Microseconds, _ db: Database) throws -> Int64 {
        let oldest = try firstKept(now: now, db)
        return switch start {
        case .beginning: oldest
        case .position(let position): max(position.column, oldest)
        case .time(let time): max(try firstPosition(since: time.microseconds, db), oldest)
        case .end: last + 1
        }
    }
}
