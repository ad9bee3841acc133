struct Order: Codable, Sendable {
    let id: String
    let customer: String
}

var incoming: Observable<Order> { .empty() }

var orders: DurableStream<Order> { Sample.stream() }

struct Bank: Sendable {
    func charge(_ order: Order, key: String) async throws {}
}

var bank: Bank { Bank() }
