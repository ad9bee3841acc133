import ArgumentParser
import Foundation
import Logging
import NIOCore
import RxStreams
import RxStreamsNATS
import RxStreamsPostgreSQL
import RxStreamsSQLite

struct BrokerOption: ParsableArguments {
    @Option(help: "nats://HOST:PORT, several separated by commas, postgres://HOST/DATABASE, or the path of a file.")
    var broker = "orders.sqlite"

    func open() throws -> any Broker {
        if isServer {
            do {
                return try NATSBroker(servers: broker.split(separator: ",").map(String.init), logger: Log.logger)
            } catch BrokerError.refused(let why) {
                throw ValidationError("--broker: \(why)")
            }
        }
        if isDatabase {
            do {
                return try PostgreSQLBroker(broker, transactions: 16)
            } catch BrokerError.refused(let why) {
                throw ValidationError("--broker: \(why)")
            }
        }
        return try SQLiteBroker(path: broker)
    }

    private var isServer: Bool { broker.hasPrefix("nats://") || broker.hasPrefix("tls://") }
    private var isDatabase: Bool { broker.hasPrefix("postgres://") || broker.hasPrefix("postgresql://") }

    var isMissing: Bool { !isServer && !isDatabase && access(broker, F_OK) != 0 }

    mutating func validate() throws {
        if broker.isEmpty || broker.hasPrefix("file:") || broker.hasPrefix(":memory:") {
            throw ValidationError("--broker needs nats://HOST:PORT or the path of a file, not '\(broker)'")
        }
        if !isDatabase, let address {
            let shown = hidden(address)
            throw ValidationError(
                "--broker: '\(shown)' is the address of a server: write nats://\(shown), or ./\(shown) for a file of "
                    + "that name")
        }
        if broker.contains("://"), !isServer, !isDatabase {
            throw ValidationError(
                "--broker takes nats://, tls:// and postgres://, or the path of a file, not '\(broker)'")
        }
    }
}

extension BrokerOption {
    /// A part of `broker` that looks like a server address without a scheme. It would otherwise be used as a file name.
    private var address: String? {
        broker.split(separator: ",").map(String.init).first { part in
            if part.contains("/") { return false }
            let host = part.split(separator: "@").last.map(String.init) ?? part
            let port = host.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
            let hasPort = host.contains(":") && (1...5).contains(port.utf8.count) && port.allSatisfy(\.isNumber)
            let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            return hasPort || (try? SocketAddress(ipAddress: bare, port: 0)) != nil
        }
    }

    private func hidden(_ address: String) -> String {
        address.lastIndex(of: "@").map { "…\(address[$0...])" } ?? address
    }
}

extension Int {
    func check(_ option: String, atLeast least: Int) throws {
        if self < least { throw ValidationError("\(option) needs at least \(least), not \(self)") }
    }
}
