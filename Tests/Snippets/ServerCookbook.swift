import Dispatch
import Glibc

struct Prices: Sendable {}
struct Page: Sendable {}
struct Row: Sendable {}
struct Order: Sendable {}
struct Receipt: Sendable {}
struct Settings: Sendable, Equatable {
    var limit = 0
    static func read() async throws -> Settings { Settings() }
}
struct Job: Sendable { func run() async throws {} }
struct Connection: Sendable { func send(_: Prices) async throws {} }
struct Client: Sendable {
    func prices() -> Single<Prices> { .just(Prices()) }
    func charge(_: Order) -> Single<Receipt> { .just(Receipt()) }
    func page(_: String) async throws -> Page { Page() }
}
struct Database: Sendable { func insert(_: [Row]) async throws {} }
struct Metrics: Sendable { func record(_: [String: Int]) {} }
struct Pager: Sendable { func send(_: String) {} }

// The declarations of the page's other blocks, because each block is checked separately.
let time = SerialDispatchQueueScheduler(internalSerialQueueName: "state")
let news = PublishRelay<Prices>()
let places = Bulkhead(1, name: "")
let breaker = CircuitBreaker("")
let budget = RetryBudget(ratio: 0.1)
let pages = SingleFlight<String, Page>(ttl: .seconds(5))
let drain = Drain()

let client = Client()
let database = Database()
let metrics = Metrics()
let pager = Pager()
let rows = AsyncStream<Row> { _ in }
var jobs: Observable<Job> { .never() }
var outcomes: Observable<Bool> { .never() }
var orders: Observable<Order> { .never() }
