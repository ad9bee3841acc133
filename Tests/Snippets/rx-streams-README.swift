struct Order: Codable, Sendable {
    let id: String
    let customer: String
}

var incoming: Observable<Order> { .empty() }

@Sendable func charge(_ order: Order) async throws {}

@Sendable func report(_ error: any Error) {}

@Sendable func show(_ order: Order) {}
