import CPostgreSQL
import Foundation
import RxStreams

struct PostgreSQLAddress: Sendable {
    /// The settings, to which libpq adds those of the `PG*` variables.
    let settings: [(name: String, value: String)]

    /// Parses a URL or the `name=value` form of libpq. `environment` provides missing settings.
    ///
    /// Without an `sslmode`, a connection to another host uses `verify-full`.
    ///
    /// - Throws: `BrokerError.refused(_:)`, without the URL's password.
    init(_ url: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        guard !url.isEmpty, !url.utf8.contains(0) else {
            throw BrokerError.refused("postgres://HOST/DATABASE is needed, not an empty address")
        }
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") || url.contains("=") else {
            throw BrokerError.refused("the address of a database begins with postgres://")
        }
        var words: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &words) else {
            defer { PQfreemem(words) }
            let why = words.map { String(cString: $0).firstLine } ?? "out of memory"
            throw BrokerError.refused("the address of the database cannot be read: \(Self.unquoted(why))")
        }
        defer { PQconninfoFree(options) }
        var settings: [(name: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings.append((String(cString: keyword), String(cString: value))) }
            option += 1
        }
        func has(_ name: String, or variable: String) -> Bool {
            settings.contains { $0.name == name && !$0.value.isEmpty } || environment[variable]?.isEmpty == false
        }
        let hosts =
            settings.last { $0.name == "host" || $0.name == "hostaddr" }?.value ?? environment["PGHOST"]
            ?? environment["PGHOSTADDR"] ?? ""
        if !has("sslmode", or: "PGSSLMODE"), !hosts.split(separator: ",").allSatisfy(Self.isLocal) {
            settings.append(("sslmode", "verify-full"))
            if !has("sslrootcert", or: "PGSSLROOTCERT"), let bundle = Self.rootCertificates(environment) {
                settings.append(("sslrootcert", bundle))
            }
        }
        for (name, variable, value) in [
            ("application_name", "PGAPPNAME", "rx-streams"), ("connect_timeout", "PGCONNECT_TIMEOUT", "10"),
            // Detects a lost server within half a minute.
            ("keepalives_idle", "", "10"), ("keepalives_interval", "", "5"), ("keepalives_count", "", "3"),
            ("tcp_user_timeout", "", "30000"),
        ] where !has(name, or: variable) {
            settings.append((name, value))
        }
        settings.append(("client_encoding", "UTF8"))
        self.settings = settings
    }

    private static func isLocal(_ host: some StringProtocol) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.split(separator: ".").allSatisfy { UInt8($0) != nil }
    }

    /// Returns the file of the system's certificates; nil if there is none, or libpq's `~/.postgresql/root.crt` exists.
    private static func rootCertificates(_ environment: [String: String]) -> String? {
        let files = FileManager.default
        if let home = environment["HOME"], files.fileExists(atPath: "\(home)/.postgresql/root.crt") { return nil }
        return ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
            .first { files.fileExists(atPath: $0) }
    }

    /// Returns libpq's message up to the part of the address that it quotes, because that part may be the password.
    private static func unquoted(_ why: String) -> String {
        guard let quote = why.firstIndex(where: { "\"\u{ab}\u{bb}\u{201c}\u{201e}".contains($0) }) else { return why }
        // A quoted equals sign is not a part of the address.
        let isSign = why[quote...].hasPrefix("\"=\"")
        return why[..<quote].trimmingCharacters(in: [" ", ":"]) + (isSign ? " \"=\"" : "")
    }
}

extension PostgreSQLAddress {
    enum Attempt: Sendable {
        case connected(Made)
        case failed(BrokerError)
    }

    // @unchecked Sendable because one thread makes it and then passes it to a `Link`.
    struct Made: @unchecked Sendable {
        let connection: OpaquePointer
    }

    /// Blocks the thread, because libpq looks up names synchronously.
    func connect() -> Attempt {
        var names: [UnsafePointer<CChar>?] = []
        var values: [UnsafePointer<CChar>?] = []
        let copies = settings.map { (strdup($0.name), strdup($0.value)) }
        defer {
            for (name, value) in copies {
                free(name)
                free(value)
            }
        }
        for (name, value) in copies {
            names.append(UnsafePointer(name))
            values.append(UnsafePointer(value))
        }
        guard let connection = PQconnectdbParams(names + [nil], values + [nil], 0) else {
            return .failed(.unavailable("out of memory"))
        }
        if PQstatus(connection) == CONNECTION_OK { return .connected(Made(connection: connection)) }
        defer { PQfinish(connection) }
        let words = String(cString: PQerrorMessage(connection))
        let why = words.split(whereSeparator: \.isNewline).map(String.init).joined(separator: "; ")
        return .failed(Self.isLasting(words) ? .refused(why) : .unavailable(why))
    }

    /// libpq reports no SQLSTATE for a failed connection. These texts mark errors that need a changed setting. A
    /// message in another language is not recognized, and the connection is retried.
    private static func isLasting(_ words: String) -> Bool {
        [
            "password authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
            "certificate verify failed", "does not support SSL", "root certificate file", "does not match host name",
            "invalid connection option", "invalid sslmode", "invalid port", "not permitted to log in",
        ].contains { words.contains($0) }
    }
}
