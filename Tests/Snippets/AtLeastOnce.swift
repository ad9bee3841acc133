struct Order: Codable, Sendable {
    let id: String
    let customer: String
}

let order = Order(id: "o-1", customer: "c-1")

var incoming: Observable<Order> { .just(order) }

var broker: any Broker { file }

var orders: DurableStream<Order> { broker.stream("orders", of: Order.self) }

struct Bank: Sendable {
    func charge(_ order: Order, key: String) async throws { happened("charged \(order.id)") }
}

var bank: Bank { Bank() }

struct Outbox: Sendable {
    var rows: Observable<Order> { incoming }

    func deleteOldest() { happened("deleted from the outbox") }
}

var outbox: Outbox { Outbox() }

@Sendable func report(_ error: any Error) { happened("reported \(error)") }

struct Declined: Error {}

let blocks = [
    1: Block(before: { try await store([order], in: orders) }, happens: ["charged o-1"]),
    3: Block(happens: ["deleted from the outbox"]),
    4: Block(
        before: {
            try await store([order], in: orders)
            let work = orders.work(as: "billing", attempts: 1) { _ in throw Declined() }
            for try await case .dead in work.take(1).values { happened("died") }
        },
        uses: {
            let again = orders.replay(from: .beginning, live: false).filter {
                $0.id?.hasPrefix("again:billing:") == true
            }
            for try await record in again.values { happened("published again: \(record.element.id)") }
        },
        happens: ["died", "published again: o-1"]),
]
