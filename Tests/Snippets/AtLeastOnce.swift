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

struct Outbox: Sendable {
    var rows: Observable<Order> { .empty() }

    func deleteOldest() {}
}

var outbox: Outbox { Outbox() }

var broker: any Broker { fatalError("nobody calls this: blocks are compiled only") }

@Sendable func report(_ error: any Error) {}
