import ArgumentParser
import Logging
import RxStreams
import RxStreamsNATS
import RxStreamsSQLite

/// Where the orders are kept.
struct BrokerOption: ParsableArguments {
    @Option(help: "nats://HOST:PORT, several with commas between them, or the path of a file.")
    var broker = "orders.sqlite"

    func open() throws -> any Broker {
        if broker.hasPrefix("nats://") || broker.hasPrefix("tls://") {
            throw ValidationError("--broker takes the path of a file in this build")
        }
        return try SQLiteBroker(path: broker)
    }

    mutating func validate() throws {
        if broker.isEmpty { throw ValidationError("--broker wants nats://HOST:PORT or the path of a file") }
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
