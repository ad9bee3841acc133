import Foundation
import RxStreams

/// Where a server is, and who we are to it.
struct NATSAddress: Sendable, Equatable {
    var host: String
    var port: Int
    var wantsTLS: Bool
    var user: String?
    var password: String?

    /// Reads `nats://[user[:password]@]host[:port]`, or `tls://`, or the host and port alone.
    init(_ text: String) throws {
        let url = text.contains("://") ? text : "nats://" + text
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 32 && $0 != 127 }),
            let scheme = parts.scheme?.lowercased(), ["nats", "tls"].contains(scheme),
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
            1...65_535 ~= parts.port ?? 4222
        else {
            throw BrokerError.refused("\(Self.hidden(text)) is no server: it takes nats://HOST:PORT or tls://HOST:PORT")
        }
        // An address of IPv6 stands in brackets.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? 4222
        wantsTLS = scheme == "tls"
        user = parts.user
        password = parts.password
    }

    /// The same place, whoever we are there.
    func isSamePlace(as other: NATSAddress) -> Bool {
        host == other.host && port == other.port
    }

    /// For people: without a password.
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Who we are there: what the URL says, or else what is said for all.
    func authentication(_ common: NATSAuthentication) -> NATSAuthentication {
        guard let user else { return common }
        return password.map { .user(user, password: $0) } ?? .token(user)
    }

    private static func hidden(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return "'\(text)'" }
        return "'…\(text[at...])'"
    }
}

/// Which server is tried next: all in turn, those that were given first.
struct ServerPool: Sendable {
    private(set) var addresses: [NATSAddress]
    private var index = 0

    init(_ addresses: [NATSAddress]) {
        self.addresses = addresses
    }

    var count: Int { addresses.count }

    mutating func next() -> NATSAddress {
        defer { index = (index + 1) % (1 << 20) }
        return addresses[index % addresses.count]
    }

    /// Takes those that a server names: at most 64, so that a bad one does not fill the memory.
    mutating func learn(_ others: [String], like address: NATSAddress) {
        for other in others.shuffled() where addresses.count < 64 {
            guard var found = try? NATSAddress(other), !addresses.contains(where: found.isSamePlace) else { continue }
            (found.wantsTLS, found.user, found.password) = (address.wantsTLS, address.user, address.password)
            addresses.append(found)
        }
    }
}
