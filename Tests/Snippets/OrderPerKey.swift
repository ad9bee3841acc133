struct Order: Codable, Sendable {
    let id: String
    let customer: String
}

let all = (0..<20).map { Order(id: "o-\($0)", customer: "\($0)") }

var incoming: Observable<Order> { .from(all) }

var orders: DurableStream<Order> { file.stream("orders", of: Order.self, subjects: ["orders.*"]) }

@Sendable func charge(_ order: Order) async throws { happened("charged \(order.id)") }

@Sendable func stableHash(_ key: String) -> Int { Int(key) ?? 0 }

let blocks = [
    1: Block(
        before: { try await store(all, in: orders, subject: "orders.p0") },
        happens: ["charged o-0", "charged o-19"]),
    2: Block(happens: ["charged o-3", "charged o-11", "charged o-19"]),
]
