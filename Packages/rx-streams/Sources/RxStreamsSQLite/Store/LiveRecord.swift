import Foundation
import GRDB
import RxStreams

/// Messages for live listeners in other processes. They stay in the file for ten seconds.
enum LiveRecord {
    private static let stay: Microseconds = 10_000_000
    /// The limits of one read; a single message may be larger.
    private static let most = (count: 1_000, bytes: 4 << 20)

    static func send(_ message: NewMessage, from sender: Int64, now: Microseconds, _ db: Database) throws {
        try db.run("DELETE FROM live_messages WHERE time < ?", [now - stay])
        try db.run(
            "INSERT INTO live_messages (sender, time, subject, id, headers, payload) VALUES (?, ?, ?, ?, ?, ?)",
            [
                sender, now, message.subject, message.id?.column, try Headers.column(message.headers),
                Data(message.payload),
            ])
    }

    static func last(_ db: Database) throws -> Int64 {
        try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'live_messages'") ?? 0
    }

    /// Returns all messages of other processes with numbers above `number`, up to `through`.
    static func messages(
        after number: Int64, notFrom sender: Int64, _ db: Database
    ) throws -> (messages: [NewMessage], through: Int64) {
        let rows = try db.rows(
            """
            SELECT number, subject, id, headers, payload FROM live_messages WHERE number > ? AND sender <> ?
            ORDER BY number LIMIT ?
            """, [number, sender, most.count])
        var (messages, through, bytes) = ([NewMessage](), number, 0)
        var isCut = false
        while let row = try rows.next() {
            if bytes >= most.bytes {
                isCut = true
                break
            }
            let id = try row.text(atIndex: 2)
            let payload = try row.withUnsafeData(atIndex: 4) { [UInt8]($0 ?? Data()) }
            messages.append(NewMessage(row[1], payload, id: id, headers: try Headers.value(row[3])))
            through = row[0]
            bytes += payload.count
        }
        // Raises `through` past this process's messages, so that later reads skip them.
        if !isCut, messages.count < most.count { through = try last(db) }
        return (messages, through)
    }
}
