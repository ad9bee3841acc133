struct Options {
    var broker = ProcessInfo.processInfo.environment["RX_NATS_URL"]
}

var options: Options { Options() }
var logger: Logger { Logger(label: "orders") }
/// The new engine's broker. Without a NATS server, another SQLite file replaces it.
let broker: any Broker =
    if let url = options.broker { try! NATSBroker(servers: [url]) } else { try! SQLiteBroker(path: "new.sqlite") }

let blocks = [
    2: Block(
        before: {
            let old = file.stream("orders", of: [UInt8].self, codec: .bytes, subjects: ["orders.>"])
            try await store([[1, 2], [3]], in: old, subject: "orders.new")
        },
        uses: {
            let copies = broker.stream(
                "orders", of: [UInt8].self, codec: .bytes, subjects: ["orders.>"], keeping: .days(7))
            for try await copy in copies.replay(from: .beginning, live: false).values {
                if copy.id?.hasPrefix("orders:\(copy.position):") == true { happened("copied \(copy.element)") }
            }
        },
        happens: ["copied [1, 2]", "copied [3]"])
]
