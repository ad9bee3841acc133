import ArgumentParser
import RxStreams

struct Order: Codable, Sendable {
    let number: Int
    let customer: Int
    let cents: Int

    init(_ number: Int) {
        self.number = number
        customer = number % 1_009
        cents = 100 + number * 37 % 9_900
    }

    static let last = 1_000_000_000_000_000

    var id: String { Self.id(number) }

    static func id(_ number: Int) -> String { "order-\(number)" }

    static func number(of id: String) -> Int? {
        guard id.hasPrefix("order-"), let number = Int(id.dropFirst(6)), Self.id(number) == id else { return nil }
        return number
    }

    static func check(count: Int) throws {
        try count.check("--count", atLeast: 1)
        if count > last { throw ValidationError("--count goes beyond the last number, \(last)") }
    }

    /// The card of an order is always declined if the order's number is a multiple of this number.
    static let declinedEvery = 997

    var isDeclined: Bool { number % Self.declinedEvery == 0 }
}

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
