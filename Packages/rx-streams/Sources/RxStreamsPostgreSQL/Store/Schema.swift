import RxStreams

/// The driver's schema in the database and its migrations.
///
/// Each operation is an SQL function, so it takes one round trip and can run in another client's transaction.
struct Schema: Sendable {
    let name: String

    /// Each step converts a version to the next one. Never change a published step. `@` stands for the schema's name.
    static let steps = [first, second]

    /// - Throws: `BrokerError.refused(_:)` if the name would need quotes.
    init(_ name: String) throws {
        let isPlain =
            name.utf8.count <= 40 && name.utf8.first.map { $0 == UInt8(ascii: "_") || Self.isLetter($0) } ?? false
            && name.utf8.allSatisfy {
                $0 == UInt8(ascii: "_") || Self.isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            }
        guard isPlain, !name.hasPrefix("pg_") else {
            throw BrokerError.refused(
                "'\(name)' is not a valid name of a schema: use lower-case letters, digits and '_', at most 40 in all")
        }
        self.name = name
    }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }

    func callAsFunction(_ sql: String) -> String { sql.replacing("@", with: name) }

    /// Returns a script that updates the schema from a version; 0 means no schema.
    func script(from version: Int = 0) -> String {
        """
        BEGIN;
        SELECT pg_advisory_xact_lock(\(key));
        \(statements(from: version))
        COMMIT;
        """
    }

    private var key: String { "hashtextextended('\(name)/schema', 0)" }

    private func statements(from version: Int) -> String {
        Self.steps[version...].map { self($0) }.joined(separator: "\n")
            + "\nUPDATE \(name).schema_version SET version = \(Self.steps.count);"
    }

    /// Brings the schema up to date, under an advisory lock.
    ///
    /// - Throws: `BrokerError.refused(_:)` if the schema has a later version, the database does not use UTF-8, or the
    ///   user may not create the schema.
    func prepare(_ link: Link, within timeout: Duration) async throws {
        if try await isCurrent(link, timeout) { return }
        var present = 0
        do {
            // BEGIN follows the lock, because another session may create the schema during the wait for the lock.
            // Within a transaction, PostgreSQL does not repeat a search that found no schema. If the migration fails,
            // the link is closed, which releases the lock.
            try await link.script("SELECT pg_advisory_lock(\(key))", within: timeout)
            try await link.script("BEGIN", within: timeout)
            if try await !isCurrent(link, timeout) {
                present = try await version(link, timeout)
                try await link.script(statements(from: present), within: timeout)
            }
            try await link.script("COMMIT; SELECT pg_advisory_unlock(\(key))", within: timeout)
        } catch let error as ServerError where error.state == "42501" {
            throw BrokerError.refused(
                "the schema \(name) is missing or old, and this user may not change it (\(error.message)). Let an "
                    + "administrator run the script that `rx-orders schema --print --from \(present)` prints")
        }
    }

    private func isCurrent(_ link: Link, _ timeout: Duration) async throws -> Bool {
        let encoding = try await link.run("SHOW server_encoding", within: timeout).text(0, 0) ?? ""
        guard encoding == "UTF8" else {
            throw BrokerError.refused("the database uses the encoding \(encoding): UTF8 is needed")
        }
        guard link.version >= 140_000 else {
            throw BrokerError.refused("PostgreSQL \(link.version / 10_000) is too old: version 14 or later is needed")
        }
        let version = try await version(link, timeout)
        guard version <= Self.steps.count else {
            throw BrokerError.refused(
                "the schema \(name) was made by a later version of this program (schema \(version); this program "
                    + "supports up to \(Self.steps.count))")
        }
        return version == Self.steps.count
    }

    /// Returns the schema's version; 0 if the schema does not exist.
    private func version(_ link: Link, _ timeout: Duration) async throws -> Int {
        let present = try await link.run(
            "SELECT to_regclass($1) IS NOT NULL", [.text("\(name).schema_version")], within: timeout)
        if present.bool(0, 0) != true { return 0 }
        return Int(try await link.run("SELECT version FROM \(name).schema_version", within: timeout).integer(0, 0) ?? 0)
    }
}
