struct Order: Sendable {}
struct Message: Sendable {}
struct Request: Sendable {
    var timeout: RxTimeInterval = .never
}
struct User: Sendable {}
typealias UserID = Int

struct Client: Sendable {
    func query(_: String) async throws -> [String] { [] }
    func charge(_: Order) -> Single<String> { .just("receipt") }
    func charge(_: Order) async throws -> String { "receipt" }
    func refund(_: Order) async throws -> String { "" }
    func send(_: Message) -> Single<Int> { .just(1) }
    func send(_: Message) async throws {}
    func send(_: Request) -> Single<String> { .just("answer") }
    func fetch(_: UserID) -> Single<User> { .just(User()) }
    func fetch(_: UserID) async throws -> User { User() }
}

struct Unavailable: Error {
    var header: Int? { nil }
}

let client = Client()
let order = Order()

extension Batched_swift {
    struct Row {
        var bytes: Int { 0 }
    }

    struct Database {
        func insert(_ rows: [Row]) -> Observable<Int> { .just(rows.count) }
    }

    var rows: Observable<Row> { .of(Row(), Row()) }
    var database: Database { Database() }
}

extension Bulkhead_swift {
    var database: Bulkhead { Bulkhead(32) }
    struct Users {
        func load(_: Int) -> Single<User> { .just(User()) }
    }

    var users: Users { Users() }
    var id: Int { 1 }
    var statement: String { "" }
}

extension Intake_swift {
    var drain: Drain { Drain() }
    var bag: DisposeBag { DisposeBag() }
    var orders: Intake<Order> { Intake(atMost: 1, name: "orders") }
    func charge(_: Order) -> Single<Int> { .just(1) }
    func log(_: Result<Int, any Error>) {}
    func respond(_: Int) {}
}

extension Drain_swift {
    var drain: Drain { Drain() }
    var orders: Observable<Order> { .of(Order(), Order()) }
    var messages: Observable<Message> { .of(Message(), Message()) }
    func charge(_: Order) -> Single<Int> { .just(1) }
    func handle(_: Message) -> Single<Int> { .just(1) }
    func confirm(_: Int) {}
}

extension Hedged_swift {
    var read: Single<String> { .just("row") }
    var replicas: RetryBudget { RetryBudget(ratio: 0.1) }
}

extension Hedging_swift {
    struct Replica: Sendable {
        func read(_: Int) async throws -> String { "" }
    }

    var replica: Replica { Replica() }
    var key: Int { 1 }
}

extension RateLimiter_swift {
    var mail: RateLimiter { RateLimiter(100, per: .seconds(1)) }
    var message: Message { Message() }
    var readings: Observable<Int> { .of(1, 2) }
}

extension Retry_swift {
    var charge: Single<Int> { .just(1) }
    var payments: RetryBudget { RetryBudget(ratio: 0.1) }
}

extension RetryBudget_swift {
    var charge: Single<Int> { .just(1) }
}

extension RetryPolicy_swift {
    var call: Observable<Int> { .just(1) }
}

extension SingleFlight_swift {
    var id: UserID { 1 }
}

extension Deadline_swift {
    var request: Request { Request() }
}

extension Timeout_swift {
    var request: Single<Int> { .just(1) }
}

extension WithDeadline_swift {
    func assemble() async throws -> String { "" }
}

extension QueueLimit_swift {
    var lines: Observable<String> { .of("a line", "another line") }
    var other: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .utility) }
    func parse(_ line: String) -> Int { line.count }
}

extension CircuitBreaker_swift {
    var payments: CircuitBreaker { CircuitBreaker("payments") }
}

extension Resilience_swift {
    func log(_: String) {}
}

extension Health_swift {
    var drain: Drain { Drain() }
    var orders: Intake<Order> { Intake(atMost: 1, name: "orders") }
    var payments: CircuitBreaker { CircuitBreaker("payments") }
    func respond(_: Int, _: String) {}
}
