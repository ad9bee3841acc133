struct Order: Codable, Sendable {
    let id: String
    let customer: String
}

var incoming: Observable<Order> { .empty() }

var orders: DurableStream<Order> { Sample.stream() }

@Sendable func charge(_ order: Order) async throws {}

func stableHash(_ key: String) -> Int { key.utf8.reduce(0) { $0 &* 31 &+ Int($1) } }
