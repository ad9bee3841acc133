import Foundation
import NIOCore
import RxStreams

/// Where a server is, and who we are to it.
struct NATSAddress: Sendable, Equatable {
    var host: String
    var port: Int
    var wantsTLS: Bool
    /// For which name its certificate has to be; nil where it has none.
    var tlsName: String?
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
        let isNumber = (try? SocketAddress(ipAddress: self.host, port: 1)) != nil
        tlsName = isNumber ? nil : self.host
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
    /// The first so many were given, and stay.
    private let given: Int
    private var index = 0
    /// The one that was tried last.
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

    /// Takes those that a server names: at most 64, so that a bad one does not fill the memory. Those that others have
    /// named and it does not are forgotten, but for its own address; a server that names none knows of none.
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
            // Servers name others by their numbers, unless they are told otherwise.
            found.tlsName = found.tlsName ?? address.tlsName
            addresses.append(found)
        }
    }
}
