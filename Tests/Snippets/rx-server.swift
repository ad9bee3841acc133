// Declarations that the pages of Packages/rx-server may use.
import Configuration
import Glibc
import Logging
import NIOCore
import NIOPosix
import RxConfiguration
import RxLifecycle
import RxNIO
import RxObservability
import RxResilience
import RxSwift
import ServiceLifecycle
import Synchronization
import Tracing

struct StoredOrder: Sendable {
    let id: Int
}

struct Orders: ObservableType, Sendable {
    typealias Element = StoredOrder

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == StoredOrder {
        Observable.empty().subscribe(observer)
    }

    func load(_ id: Int) -> Single<StoredOrder> { .just(StoredOrder(id: id)) }
}

struct Pool {
    func query(_ statement: String) -> EventLoopFuture<[Int]> { loop.makeSucceededFuture([]) }
}

struct PageRequest: Sendable {}

struct PageResponse: Sendable {
    init(_ order: StoredOrder) {}
}

var logger: Logger { Logger(label: "orders") }
var tracer: any Tracer { NoOpTracer() }
var scheduler: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .utility) }
var queue: SerialDispatchQueueScheduler { scheduler }
var workers: SerialDispatchQueueScheduler { scheduler }
var loop: any EventLoop { MultiThreadedEventLoopGroup.singleton.next() }
var channel: any Channel { fatalError("nobody calls this: blocks are compiled only") }
var pool: Pool { Pool() }
var statement: String { "" }
var id: Int { 0 }
var order: StoredOrder { StoredOrder(id: id) }
var orders: Orders { Orders() }
var prices: Observable<Int> { .empty() }
var report: Observable<StoredOrder> { .empty() }

func charge(_ order: StoredOrder) -> Observable<StoredOrder> { .just(order) }
func confirm(_ order: StoredOrder) {}
func answer(_ request: PageRequest) -> PageResponse { PageResponse(order) }
func close() {}

var config: ConfigReader { ConfigReader(provider: InMemoryProvider(values: [:])) }
