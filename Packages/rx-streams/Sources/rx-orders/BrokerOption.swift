import ArgumentParser
import Foundation
import Logging
import RxStreams
import RxStreamsNATS
import RxStreamsSQLite

/// Where the orders are kept.
struct BrokerOption: ParsableArguments {
    @Option(help: "nats://HOST:PORT, several with commas between them, or the path of a file.")
    var broker = "orders.sqlite"

    func open() throws -> any Broker {
        if isServer {
            do {
                return try NATSBroker(servers: broker.split(separator: ",").map(String.init), logger: Log.logger)
            } catch BrokerError.refused(let why) {
                throw ValidationError("--broker: \(why)")
            }
        }
        return try SQLiteBroker(path: broker)
    }

    private var isServer: Bool { broker.hasPrefix("nats://") || broker.hasPrefix("tls://") }

    /// It is a file that is not there.
    var isMissing: Bool { !isServer && access(broker, F_OK) != 0 }

    mutating func validate() throws {
        if broker.isEmpty || broker.hasPrefix("file:") || broker.hasPrefix(":memory:") {
            throw ValidationError("--broker wants nats://HOST:PORT or the path of a file, not '\(broker)'")
        }
        if broker.contains("://"), !broker.hasPrefix("nats://"), !broker.hasPrefix("tls://") {
            throw ValidationError("--broker takes nats:// and tls://, or the path of a file, not '\(broker)'")
        }
    }
}

extension Int {
    /// Refuses what is below a bound.
    func check(_ option: String, atLeast least: Int) throws {
        if self < least { throw ValidationError("\(option) wants at least \(least), not \(self)") }
    }
}
