import Foundation
import NIOCore
import RxStreams

struct NATSAddress: Sendable, Equatable {
    var host: String
    var port: Int
    var wantsTLS: Bool
    /// The name that the server's certificate must have; nil if the host is an IP address.
    var tlsName: String?
    var user: String?
    var password: String?

    /// Parses `nats://[user[:password]@]host[:port]`. The scheme may also be `tls`, or be omitted.
    init(_ text: String) throws {
        let url = text.contains("://") ? text : "nats://" + text
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 32 && $0 != 127 }),
            let scheme = parts.scheme?.lowercased(), ["nats", "tls"].contains(scheme),
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
            1...65_535 ~= parts.port ?? 4222
        else {
            throw BrokerError.refused(
                "\(Self.hidden(text)) is not a server address: use nats://HOST:PORT or tls://HOST:PORT")
        }
        // An IPv6 address is in brackets.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? 4222
        wantsTLS = scheme == "tls"
        let isNumber = (try? SocketAddress(ipAddress: self.host, port: 1)) != nil
        tlsName = isNumber ? nil : self.host
        user = parts.user
        password = parts.password
    }

    /// Ignores the credentials.
    func isSamePlace(as other: NATSAddress) -> Bool {
        host == other.host && port == other.port
    }

    /// The address without the credentials, for logs.
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The credentials in the server's URL, or `common` if it has none.
    func authentication(_ common: NATSAuthentication) -> NATSAuthentication {
        guard let user else { return common }
        return password.map { .user(user, password: $0) } ?? .token(user)
    }

    private static func hidden(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return "'\(text)'" }
        return "'…\(text[at...])'"
    }
}

/// The servers to try in turn. The program's own servers come first.
struct ServerPool: Sendable {
    private(set) var addresses: [NATSAddress]
    /// The number of the program's own addresses. They are never removed.
    private let given: Int
    private var index = 0
    private var present: NATSAddress?

    init(_ addresses: [NATSAddress]) {
        self.addresses = addresses
        given = addresses.count
    }

    var count: Int { addresses.count }

    mutating func next() -> NATSAddress {
        defer { index = (index + 1) % (1 << 20) }
        let next = addresses[index % addresses.count]
        present = next
        return next
    }

    /// Adds announced servers, up to 64 in all, so that a malicious server cannot fill the memory. Removes servers that
    /// are no longer announced, except the current one.
    mutating func learn(_ others: [String], like address: NATSAddress) {
        let named = others.compactMap { try? NATSAddress($0) }
        if named.isEmpty { return }
        let learned = addresses.dropFirst(given).filter { old in
            old == present || named.contains(where: old.isSamePlace)
        }
        addresses = addresses.prefix(given) + learned
        for var found in named.shuffled() where addresses.count < 64 {
            if addresses.contains(where: found.isSamePlace) { continue }
            (found.wantsTLS, found.user, found.password) = (address.wantsTLS, address.user, address.password)
            // Servers usually announce others by IP address, but a certificate needs a name. So the name of the
            // announcing server is used.
            found.tlsName = found.tlsName ?? address.tlsName
            addresses.append(found)
        }
    }
}
