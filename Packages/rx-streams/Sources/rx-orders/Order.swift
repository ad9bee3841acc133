import ArgumentParser
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

    /// The number of an id; nil where it is none of an order.
    static func number(of id: String) -> Int? {
        guard id.hasPrefix("order-"), let number = Int(id.dropFirst(6)), Self.id(number) == id else { return nil }
        return number
    }

    /// Refuses a number of orders that there cannot be.
    static func check(count: Int) throws {
        try count.check("--count", atLeast: 1)
        if count > last { throw ValidationError("--count goes beyond the last number, \(last)") }
    }

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
