import Dispatch
import Glibc

/// The page's scheduler, with every span shortened to 10 ms: a block that waits for 30 seconds runs in a moment.
struct HurriedScheduler: SchedulerType {
    private let base = SerialDispatchQueueScheduler(internalSerialQueueName: "state")

    var now: RxTime { base.now }

    func schedule<State>(_ state: State, action: @escaping @Sendable (State) -> any Disposable) -> any Disposable {
        base.schedule(state, action: action)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime _: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        base.scheduleRelative(state, dueTime: .milliseconds(10), action: action)
    }

    func schedulePeriodic<State>(
        _ state: State, startAfter _: RxTimeInterval, period _: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        base.schedulePeriodic(state, startAfter: .milliseconds(10), period: .milliseconds(10), action: action)
    }
}

/// Replaces the function that opens the page's log file: returns standard input.
func open(_: String, _: Int32) -> Int32 { dup(STDIN_FILENO) }

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

// The page's other blocks declare these names; each block is checked separately.
let time = HurriedScheduler()
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
let rows = AsyncStream<Row> { continuation in
    continuation.yield(Row())
    continuation.finish()
}
// These sequences send on a thread other than the main thread.
var jobs: Observable<Job> { Observable.of(Job(), Job()).observe(on: time) }
var outcomes: Observable<Bool> { Observable.from((0..<40).map { $0 % 2 == 0 }).observe(on: time) }
var orders: Observable<Order> { Observable.of(Order(), Order()).observe(on: time) }
