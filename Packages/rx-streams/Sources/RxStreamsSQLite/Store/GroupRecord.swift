import GRDB
import RxStreams

/// Operations on a group inside a transaction.
///
/// Each delivered, unsettled message has a row in `deliveries`. The row contains a member and its deadline, or only the
/// time from which the message may be delivered again.
struct GroupRecord {
    let id: Int64
    let stream: Int64
    let filter: String?
    let maxUnsettled: Int64
    /// The last examined position.
    let cursor: Int64
    let unsettled: Int64

    private init(_ row: Row) {
        id = row["id"]
        stream = row["stream"]
        filter = row["filter"]
        maxUnsettled = row["max_unsettled"]
        cursor = row["cursor"]
        unsettled = row["unsettled"]
    }

    static func named(_ name: String, in stream: StreamRecord, _ db: Database) throws -> GroupRecord {
        if let group = try present(name, in: stream, db) { return group }
        throw BrokerError.missing("group \(name) of stream \(stream.name)")
    }

    private static func present(_ name: String, in stream: StreamRecord, _ db: Database) throws -> GroupRecord? {
        try db.row("SELECT * FROM member_groups WHERE stream = ? AND name = ?", [stream.id, name.column])
            .map(GroupRecord.init)
    }

    static func of(_ id: Int64, _ db: Database) throws -> (GroupRecord, StreamRecord) {
        guard let group = try db.row("SELECT * FROM member_groups WHERE id = ?", [id]).map(GroupRecord.init),
            let stream = try StreamRecord.of(group.stream, db)
        else { throw BrokerError.missing("such group: it has been removed") }
        return (group, stream)
    }

    /// Creates a group, or changes its bound on unsettled messages. Returns its id.
    static func ensure(
        _ settings: GroupSettings, of stream: String, now: Microseconds, _ db: Database
    ) throws -> Int64 {
        let stream = try StreamRecord.named(stream, db)
        if let present = try present(settings.name, in: stream, db) {
            try GroupSettings(settings.name, filter: present.filter).checkFilter(of: settings, stream: stream.name)
        }
        let start = try stream.position(of: settings.start, now: now, db)
        try db.run(
            """
            INSERT INTO member_groups (stream, name, filter, max_unsettled, cursor) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (stream, name) DO UPDATE SET max_unsettled = excluded.max_unsettled
            """, [stream.id, settings.name, settings.filter, settings.maxUnsettled, max(0, start - 1)])
        return try named(settings.name, in: stream, db).id
    }

    static func remove(_ name: String, of stream: String, _ db: Database) throws {
        let id: Int64? = try db.value(
            """
            SELECT member_groups.id FROM member_groups JOIN streams ON streams.id = stream
            WHERE streams.name = ? AND member_groups.name = ?
            """, [stream.column, name.column])
        guard let id else { return }
        try db.run("DELETE FROM deliveries WHERE in_group = ?", [id])
        try db.run("DELETE FROM member_groups WHERE id = ?", [id])
    }
}

// MARK: - Pulling

extension GroupRecord {
    enum Prospect: Sendable {
        case something
        /// There are no messages until the file changes, or until the time `until`.
        case nothing(until: Microseconds?)
    }

    /// The pulled messages. Empty if the filter skipped all messages, or another member took them.
    typealias Catch = [PulledMessage]

    /// The maximum number of messages that one transaction examines.
    private static let mostLookedAt = 10_000

    func prospect(in stream: StreamRecord, now: Microseconds, _ db: Database) throws -> Prospect {
        if cursor < stream.last, unsettled < maxUnsettled { return .something }
        let due: Microseconds? = try db.value("SELECT MIN(due) FROM deliveries WHERE in_group = ?", [id])
        if let due, due <= now { return .something }
        return .nothing(until: due)
    }

    /// Takes messages that are due again, then new ones.
    ///
    /// - Parameter deadline: how long the member has to settle the messages.
    func pull(
        upTo count: Int, for member: Int64, within deadline: Microseconds, in stream: StreamRecord, now: Microseconds,
        _ db: Database
    ) throws -> Catch {
        let oldest = try stream.firstKept(now: now, db)
        var taken: Catch = []
        try pullAgain(count, member, now + deadline, stream, oldest, now, db, &taken)
        try pullNew(count, member, now + deadline, stream, oldest, db, &taken)
        return taken
    }

    private func pullAgain(
        _ count: Int, _ member: Int64, _ due: Microseconds, _ stream: StreamRecord, _ oldest: Int64,
        _ now: Microseconds, _ db: Database, _ taken: inout Catch
    ) throws {
        var isDone = false
        while !isDone {
            let room = count - taken.count
            guard room > 0 else { return }
            let rows = try db.rows(
                """
                SELECT position, attempt FROM deliveries WHERE in_group = ? AND due <= ? ORDER BY due, position LIMIT ?
                """, [id, now, room])
            var found: [(position: Int64, attempt: Int)] = []
            while let row = try rows.next() { found.append((row[0], row[1])) }
            isDone = found.count < room
            for (position, attempt) in found {
                let row =
                    position < oldest
                    ? nil
                    : try db.row("SELECT \(StoredMessage.columns) FROM messages WHERE key = ?", [stream.key[position]])
                guard let row else {
                    // The stream no longer retains the message.
                    try db.run("DELETE FROM deliveries WHERE in_group = ? AND position = ?", [id, position])
                    continue
                }
                try db.run(
                    "UPDATE deliveries SET attempt = ?, due = ?, member = ? WHERE in_group = ? AND position = ?",
                    [attempt + 1, due, member, id, position])
                let stored = try StoredMessage(row, in: stream.key)
                taken.append(
                    PulledMessage(
                        stored, attempt: attempt + 1, token: DeliveryToken(id, position, attempt + 1, member).message))
            }
        }
    }

    private func pullNew(
        _ count: Int, _ member: Int64, _ due: Microseconds, _ stream: StreamRecord, _ oldest: Int64, _ db: Database,
        _ taken: inout Catch
    ) throws {
        let room = min(Int64(count - taken.count), maxUnsettled - unsettled)
        let begin = max(cursor + 1, oldest)
        guard room > 0, cursor < stream.last else { return }
        let pattern = try filter.map(SubjectPattern.init)
        let rows = try db.rows(
            "SELECT \(StoredMessage.columns) FROM messages WHERE key >= ? AND key <= ? ORDER BY key LIMIT ?",
            [stream.key[begin], stream.key[stream.last], pattern == nil ? Int(room) : Self.mostLookedAt])
        var (looked, found) = (begin - 1, [StoredMessage]())
        while found.count < room, let row = try rows.next() {
            looked = row[0] as Int64 - stream.key.base
            if pattern?.matches(row[1]) ?? true { found.append(try StoredMessage(row, in: stream.key)) }
        }
        for stored in found {
            let position = stored.position.column
            try db.run(
                "INSERT INTO deliveries (in_group, position, attempt, due, member) VALUES (?, ?, 1, ?, ?)",
                [id, position, due, member])
            taken.append(
                PulledMessage(stored, attempt: 1, token: DeliveryToken(id, position, 1, member).message))
        }
        try db.run("UPDATE member_groups SET cursor = ? WHERE id = ?", [looked, id])
    }
}

// MARK: - Settling

extension GroupRecord {
    /// A message that has been delivered again belongs to its new member. A late `done` is still applied; other late
    /// verdicts are ignored.
    ///
    /// - Parameter deadline: the time that a member gets when it extends the deadline of a message.
    /// - Returns: whether a waiting pull may now find messages.
    static func settle(
        _ verdicts: [Verdict], within deadline: Microseconds, now: Microseconds, _ db: Database
    ) throws -> Bool {
        var wakes = false
        for verdict in verdicts {
            guard let token = DeliveryToken(verdict.token) else {
                throw BrokerError.refused("'\(verdict.token.value)' is not a token of this broker")
            }
            let mine = "in_group = ? AND position = ? AND attempt = ? AND member = ?"
            switch verdict.settlement {
            case .done:
                try db.run("DELETE FROM deliveries WHERE in_group = ? AND position = ?", [token.group, token.position])
                wakes = try wakes || isRoomNew(token, db)
            case .givenUp:
                try db.run("DELETE FROM deliveries WHERE \(mine)", token.arguments)
                wakes = try wakes || isRoomNew(token, db)
            case .again(let pause):
                try db.run(
                    "UPDATE deliveries SET due = ?, member = NULL WHERE \(mine)",
                    [now + max(0, pause.microseconds)] + token.arguments)
                wakes = true
            case .extended:
                try db.run("UPDATE deliveries SET due = ? WHERE \(mine)", [now + deadline] + token.arguments)
            }
        }
        return wakes
    }

    private static func isRoomNew(_ token: DeliveryToken, _ db: Database) throws -> Bool {
        guard db.changesCount > 0 else { return false }
        return try db.value("SELECT unsettled + 1 >= max_unsettled FROM member_groups WHERE id = ?", [token.group])
            ?? false
    }

    func handBack(from member: Int64, now: Microseconds, _ db: Database) throws {
        try db.run(
            "UPDATE deliveries SET due = ?, member = NULL WHERE in_group = ? AND member = ?", [now, id, member])
    }

    func summary(in stream: StreamRecord, now: Microseconds, _ db: Database) throws -> GroupSummary {
        let oldest = try stream.firstKept(now: now, db)
        let begin = max(cursor + 1, oldest)
        let unsettled: Int =
            try db.value("SELECT COUNT(*) FROM deliveries WHERE in_group = ? AND position >= ?", [id, oldest]) ?? 0
        guard begin <= stream.last else { return GroupSummary(waiting: 0, unsettled: unsettled) }
        guard let filter else { return GroupSummary(waiting: Int(stream.last - begin + 1), unsettled: unsettled) }
        let (pattern, key) = (try SubjectPattern(filter), stream.key)
        let subjects = try db.rows(
            "SELECT subject FROM messages WHERE key >= ? AND key <= ?", [key[begin], key[stream.last]])
        var waiting = 0
        while let row = try subjects.next() { if pattern.matches(row[0]) { waiting += 1 } }
        return GroupSummary(waiting: waiting, unsettled: unsettled)
    }
}

extension DeliveryToken {
    fileprivate var arguments: StatementArguments { [group, position, attempt, member] }
}
