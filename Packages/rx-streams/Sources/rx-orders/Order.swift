import RxStreams

/// What is bought.
struct Order: Codable, Sendable {
    let number: Int
    let customer: Int
    let cents: Int

    init(_ number: Int) {
        self.number = number
        customer = number % 1_009
        cents = 100 + number * 37 % 9_900
    }

    /// The highest number that there may be.
    static let last = 1_000_000_000_000_000

    var id: String { Self.id(number) }

    static func id(_ number: Int) -> String { "order-\(number)" }

    /// Its card is declined, whenever it is tried: one in so many.
    static let declinedEvery = 997

    var isDeclined: Bool { number % Self.declinedEvery == 0 }
}

/// The names that all processes agree on.
enum Names {
    static let stream = "orders"
    static let group = "billing"
    static let dead = "orders-dead"
}

extension Broker {
    var orders: DurableStream<Order> {
        stream(Names.stream, of: Order.self, subjects: ["orders.new"], duplicateWindow: .seconds(3_600))
    }

    var deadOrders: DurableStream<[UInt8]> { stream(Names.dead, of: [UInt8].self, codec: .bytes) }
}
