struct Order: Codable, Sendable {
    let id: String
}

var order: Order { Order(id: "o-1") }

/// A broker on the server of scripts/check-snippets.sh, with one schema for each block.
let broker = try! RxStreamsPostgreSQL.PostgreSQLBroker(
    ProcessInfo.processInfo.environment["RX_POSTGRES_URL"]!, schema: "block_\(getpid())")

var database: any Broker { broker }
/// Instead of the NATS broker of the page: a broker on a file.
var nats: any Broker { file }

var orders: DurableStream<Order> { broker.stream("orders", of: Order.self) }

@Sendable func report(_ error: any Error) { happened("reported \(error)") }

@Sendable func create(_ table: String) async throws {
    try await orders.ensure()
    try await broker.transaction { try await $0.run("CREATE TABLE IF NOT EXISTS \(table)") }
}

let blocks = [
    2: Block(
        before: { try await create("orders (id text PRIMARY KEY)") },
        uses: {
            for try await record in orders.replay(from: .beginning, live: false).values {
                happened("published \(record.element.id), id \(record.id ?? "none")")
            }
            let rows = try await broker.transaction { try await $0.run("SELECT id FROM orders") }
            happened("\(rows.count) row")
        },
        happens: ["published o-1, id o-1", "1 row"]),
    3: Block(
        before: {
            try await create("charges (order_id text)")
            try await store([order], in: orders)
        },
        uses: {
            // `summary` fails until the group exists.
            while (try? await orders.summary(of: "billing"))?.lag != 0 { await Task.yield() }
            happened("acknowledged")
            let rows = try await broker.transaction { try await $0.run("SELECT order_id FROM charges") }
            happened("\(rows.count) charge")
        },
        happens: ["acknowledged", "1 charge"]),
    4: Block(
        before: {
            let outbox = database.stream("outbox", of: Order.self)
            try await outbox.ensure()
            try await nats.stream("orders", of: Order.self).ensure()
            try await store([order], in: outbox)
        },
        uses: {
            let copies = nats.stream("orders", of: Order.self)
            for try await record in copies.replay(from: .beginning, live: true).values {
                happened("copied \(record.element.id)")
                break
            }
        },
        happens: ["copied o-1"]),
]
