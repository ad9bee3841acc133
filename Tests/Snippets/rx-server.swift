// Declarations for the pages of Packages/rx-server.
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
        Observable.just(order).concat(Observable.never()).subscribe(observer)
    }

    func load(_ id: Int) -> Single<StoredOrder> {
        .deferred {
            happened("loaded \(id)")
            return .just(StoredOrder(id: id))
        }
    }
}

struct Pool {
    func query(_ statement: String) -> EventLoopFuture<[Int]> { loop.makeSucceededFuture([]) }
}

struct Log: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { happened("\(event.level): \(event.message)") }
}

/// Sends "ping" over a new connection, and closes its output when "ping" has come back.
final class Pinger: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "ping")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        happened("answer: \(String(buffer: unwrapInboundIn(data)))")
        context.close(mode: .output, promise: nil)
    }

    static func connect(to port: Int) async throws {
        _ = try await ClientBootstrap(group: loop)
            .channelInitializer { $0.pipeline.addHandler(Pinger()) }
            .connect(host: "127.0.0.1", port: port).get()
    }

    static func connected() -> any Channel {
        let server = try! ServerBootstrap(group: loop)
            .childChannelInitializer { $0.pipeline.addHandler(Pinger()) }
            .bind(host: "127.0.0.1", port: 0).wait()
        return try! ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)  // "ping" waits until the block subscribes
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(to: server.localAddress!).wait()
    }
}

var logger: Logger { Logger(label: "orders") { _ in Log() } }
var tracer: any Tracer { NoOpTracer() }
var scheduler: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .utility) }
var queue: SerialDispatchQueueScheduler { scheduler }
var workers: SerialDispatchQueueScheduler { scheduler }
var loop: any EventLoop { MultiThreadedEventLoopGroup.singleton.next() }
let channel: any Channel = Pinger.connected()
var pool: Pool { Pool() }
var statement: String { "" }
var id: Int { 0 }
var order: StoredOrder { StoredOrder(id: id) }
var orders: Orders { Orders() }
var prices: Observable<Int> { .of(1, 2) }
var report: Observable<StoredOrder> { .just(order) }

@Sendable func charge(_ order: StoredOrder) -> Observable<StoredOrder> {
    .deferred {
        happened("charged \(order.id)")
        return .just(order)
    }
}
@Sendable func confirm(_ order: StoredOrder) { happened("confirmed \(order.id)") }
@Sendable func close() { happened("closed") }

var config: ConfigReader { ConfigReader(provider: InMemoryProvider(values: ["limits.database.running": 64])) }
