public import Dispatch
public import RxStreams
public import RxSwift

extension PostgreSQLDriver: StreamTelling {
    public func ensure(_ stream: StreamSettings) async throws {
        try stream.check()
        try checkOpen()
        if try await isThere(stream) { return }
        try await translated {
            try await pool.with { link in
                try await self.ensure(stream, link)
            }
        }
        wakeWaiters()
        await tidy()
    }

    private func isThere(_ settings: StreamSettings) async throws -> Bool {
        let rows = try await query(
            "SELECT subjects, keeps_age, keeps_count, keeps_bytes, remembers FROM @.streams WHERE name = $1",
            [.text(settings.name)])
        guard rows.count == 1, let subjects = rows.texts(0, 0) else { return false }
        return subjects.elementsEqual(settings.subjects) { $0.hasBytes(of: $1) }
            && rows.integer(0, 1) == settings.keeping.age?.microseconds
            && rows.integer(0, 2) == settings.keeping.count.map(Int64.init)
            && rows.integer(0, 3) == settings.keeping.bytes.map(Int64.init)
            && rows.integer(0, 4) == settings.duplicateWindow.microseconds
    }

    /// Creates or changes a stream, under a lock, so that the check for overlaps stays valid.
    private func ensure(_ settings: StreamSettings, _ link: Link) async throws {
        let timeout = pool.limits.answer
        let patterns = try settings.subjects.map(SubjectPattern.init)
        try await link.script(
            schema("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('@/streams', 0))"), within: timeout)
        let others = try await link.run(
            schema("SELECT name, subjects FROM @.streams WHERE name <> $1"), [.text(settings.name)], within: timeout)
        for row in 0..<others.count {
            for theirs in try (others.texts(row, 1) ?? []).map(SubjectPattern.init) {
                if let ours = patterns.first(where: theirs.overlaps) {
                    // The pool closes the connection, so the server rolls the open transaction back.
                    throw BrokerError.refused(
                        "'\(ours)' of stream \(settings.name) overlaps with '\(theirs)' of stream "
                            + (others.text(row, 0) ?? ""))
                }
            }
        }
        let keeping = settings.keeping
        _ = try await link.run(
            schema(
                """
                WITH stored AS (
                    INSERT INTO @.streams (name, subjects, subject_pattern, default_subject, keeps_age, keeps_count,
                        keeps_bytes, remembers)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                    ON CONFLICT (name) DO UPDATE SET
                        subjects = excluded.subjects, subject_pattern = excluded.subject_pattern,
                        default_subject = excluded.default_subject, keeps_age = excluded.keeps_age,
                        keeps_count = excluded.keeps_count, keeps_bytes = excluded.keeps_bytes,
                        remembers = excluded.remembers
                    RETURNING id
                )
                SELECT @.add_segment(id, 1, 1 + least(greatest(coalesce($6 / 4, 250000), 1000), 250000)) FROM stored
                WHERE NOT EXISTS (SELECT FROM @.segments WHERE stream = stored.id)
                """),
            [
                .text(settings.name), .texts(settings.subjects), .text(Patterns.expression(settings.subjects)),
                .text(patterns[0].example), .integer(keeping.age?.microseconds),
                .integer(keeping.count.map(Int64.init)), .integer(keeping.bytes.map(Int64.init)),
                .micros(settings.duplicateWindow),
            ], within: timeout)
        try await link.script("COMMIT", within: timeout)
    }

    public func remove(stream: String) async throws {
        _ = try await call("remove_stream($1)", [.text(stream)])
        wakeWaiters()
        await tidy()
    }

    public func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        for message in messages { try SubjectPattern.checkSubject(message.subject) }
        var receipts: [Receipt] = []
        var rest = messages[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.together(rest))
            receipts += try await store(Array(part), in: stream)
            rest = rest.dropFirst(part.count)
        }
        return receipts
    }

    /// Returns the number of messages for one statement: as many as fit into 4 MiB of payload, but at least one. On a
    /// slow line, a larger statement might always time out.
    private static func together(_ messages: ArraySlice<NewMessage>) -> Int {
        var (count, bytes) = (0, 0)
        for message in messages {
            bytes += message.payload.count
            if count > 0, bytes > 4 << 20 { break }
            count += 1
        }
        return count
    }

    private func store(_ messages: [NewMessage], in stream: String) async throws -> [Receipt] {
        let rows = try await call(
            "append($1, $2, $3, $4, $5)",
            [
                .text(stream), .texts(messages.map(\.subject)), .texts(messages.map(\.id)),
                .texts(try messages.map { try Headers.column($0.headers) }), .manyBytes(messages.map(\.payload)),
            ])
        wakeWaiters()
        return (0..<rows.count).map { row in
            Receipt(Position(column: rows.integer(row, 0) ?? 0), isDuplicate: rows.bool(row, 1) ?? false)
        }
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
            let rows = try await call(
                "read($1, $2, $3, $4)",
                [.text(stream), .integer(identity), .integer(position.column), .integer(Int64(limit))])
            let messages = (0..<rows.count).compactMap { StoredMessage(rows, $0) }
            if !messages.isEmpty { return .found(messages) }
            if rows.count == 0 { return Look.nothing(for: nil) }
            try await sequence(try await find(.end, in: stream).identity)
            return .unfinished
        }
        return found ?? []
    }

    public func locate(_ start: ReplayStart, in stream: String) async throws -> Position {
        try await find(start, in: stream).position
    }

    package func find(_ start: ReplayStart, in stream: String) async throws -> (position: Position, identity: Int64) {
        let rows = try await call("locate($1, $2, $3)", [.text(stream)] + start.values)
        return (Position(column: rows.integer(0, 1) ?? 1), rows.integer(0, 0) ?? 0)
    }

    public func summary(of stream: String) async throws -> StreamSummary {
        while true {
            let rows = try await call("summary($1)", [.text(stream)])
            let (first, last) = (rows.integer(0, 1) ?? 1, rows.integer(0, 2) ?? 0)
            if rows.bool(0, 3) == true, let id = rows.integer(0, 0) {
                try await sequence(id)
                continue
            }
            return StreamSummary(
                first: Position(column: first), last: Position(column: last), count: Int(last - first + 1))
        }
    }
}

extension ReplayStart {
    var values: [Value] {
        switch self {
        case .beginning: [.text("beginning"), .integer(0)]
        case .position(let position): [.text("position"), .integer(position.column)]
        case .time(let time): [.text("time"), .integer(time.microsecondsSince1970)]
        case .end: [.text("end"), .integer(0)]
        }
    }
}

extension StoredMessage {
    /// Reads a message from the first columns of a row. Returns nil if the position is NULL.
    ///
    /// - Parameter shift: the number of columns between the position and the time.
    init?(_ rows: Rows, _ row: Int, shift: Int = 0) {
        guard let position = rows.integer(row, 0), let time = rows.time(row, 1 + shift),
            let subject = rows.text(row, 2 + shift)
        else { return nil }
        self.init(
            Position(column: position), time,
            NewMessage(
                subject, rows.bytes(row, 5 + shift) ?? [], id: rows.text(row, 3 + shift),
                headers: Headers.value(rows.text(row, 4 + shift))))
    }
}

/// Subject patterns as regular expressions of PostgreSQL.
enum Patterns {
    private static let word = "[^.[:cntrl:][:space:]*>]+"

    /// Returns an expression for the subjects that at least one of the patterns matches.
    static func expression(_ patterns: [String]) -> String {
        "^(?:" + patterns.map(expression).joined(separator: "|") + ")$"
    }

    private static func expression(_ pattern: String) -> String {
        pattern.split(separator: ".", omittingEmptySubsequences: false).map { part in
            switch part {
            case "*": word
            case ">": "\(word)(?:\\.\(word))*"
            default: escaped(part)
            }
        }.joined(separator: "\\.")
    }

    private static func escaped(_ text: Substring) -> String {
        var expression = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // A backslash before a letter or digit would have a special meaning.
            if scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) {
                expression.append("\\")
            }
            expression.append(scalar)
        }
        return String(expression)
    }
}
