struct Order: Codable, Sendable {
    let id: String
    let customer: String
}

var incoming: Observable<Order> { .of(Order(id: "o-1", customer: "c-1"), Order(id: "o-2", customer: "c-2")) }

@Sendable func charge(_ order: Order) async throws { happened("charged \(order.id)") }

@Sendable func report(_ error: any Error) { happened("reported \(error)") }

@Sendable func show(_ order: Order) { happened("shown \(order.id)") }

let blocks = [1: Block(happens: ["charged o-1", "charged o-2", "shown o-1", "shown o-2"])]
