struct Order: Codable, Sendable {
    let id: String
}

var order: Order { Order(id: "o-1") }

var orders: DurableStream<Order> { Sample.stream() }

var broker: PostgreSQLBroker { fatalError("nobody calls this: blocks are compiled only") }

@Sendable func report(_ error: any Error) {}
