struct Order: Sendable {}

let drain = Drain()
let orders = Intake<Order>(atMost: 100, name: "orders")
let database = Bulkhead(32, waiting: 100, name: "database")
let payments = CircuitBreaker("payments")
func isDiskFull() -> Bool { false }
func warmCaches() async {}
