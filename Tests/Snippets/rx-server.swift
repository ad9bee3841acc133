// What the pages of Packages/rx-server may use without declaring it.
import Glibc
import Logging
import NIOCore
import NIOPosix
import RxLifecycle
import RxNIO
import RxObservability
import RxResilience
import RxSwift
import ServiceLifecycle
import Synchronization
import Tracing

struct Order: Sendable {
    let id: Int
}

struct Orders: ObservableType, Sendable {
    typealias Element = Order

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Order {
        Observable.empty().subscribe(observer)
    }

    func load(_ id: Int) -> Single<Order> { .just(Order(id: id)) }
}

struct Pool {
    func query(_ statement: String) -> EventLoopFuture<[Int]> { loop.makeSucceededFuture([]) }
}

struct Request: Sendable {}

struct Response: Sendable {
    init(_ order: Order) {}
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
var order: Order { Order(id: id) }
var orders: Orders { Orders() }
var prices: Observable<Int> { .empty() }
var report: Observable<Order> { .empty() }

func charge(_ order: Order) -> Observable<Order> { .just(order) }
func confirm(_ order: Order) {}
func answer(_ request: Request) -> Response { Response(order) }
func close() {}
