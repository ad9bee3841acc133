import Dispatch
import Hummingbird
import Logging
import NIOCore
import RxLifecycle
import RxSwift
import ServiceLifecycle

// The page "HTTP in, SSE out, SIGTERM" of RxLifecycle shows this file from here on; scripts/test-service.sh compares.

struct Order: Decodable, Sendable {
    let id: Int
}

/// Orders come in as requests, are charged, and go out as server-sent events.
struct OrderService: Sendable {
    let orders = Intake<Order>(atMost: 10_000, name: "orders")
    let confirmations = PublishSubject<String>()
    let health = Health()
    let charge: @Sendable (Order) -> Single<String>
    let logger: Logger

    func addRoutes(to router: Router<BasicRequestContext>) {
        // Answers at once: 202 is a promise that the order will be charged, even if SIGTERM comes now.
        router.post("/orders") { request, context -> HTTPResponse.Status in
            let order = try await request.decode(as: Order.self, context: context)
            return orders.offer(order).isAccepted ? .accepted : .serviceUnavailable
        }
        // Answers when the order has been charged.
        router.post("/orders/charged") { request, context -> HTTPResponse.Status in
            let order = try await request.decode(as: Order.self, context: context)
            do {
                try await orders.handled(order)
                return .ok
            } catch is IntakeRefused, is IntakeDropped {
                return .serviceUnavailable
            }
        }
        // An event for each order that has been charged, until the server is asked to stop.
        router.get("/confirmations") { _, _ -> Response in
            let body = ResponseBody { writer in
                let events = confirmations.take(until: Observable.gracefulShutdown())
                for try await confirmation in events.values(buffering: .newest(100)) {
                    try await writer.write(ByteBuffer(string: "data: \(confirmation)\n\n"))
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
        }
    }

    /// Charges the orders that were accepted, at most 32 at once.
    func pipeline(drain span: RxTimeInterval) -> RxService {
        RxService("orders", drain: span, logger: logger) { drain in
            health.add(drain)
            health.add(orders, overloadedAfter: .seconds(10))
            health.markStarted()
            return orders.handling(until: drain, atMost: 32) { order in charge(order) }
                .do(onNext: { result in
                    switch result {
                    case .success(let confirmation): confirmations.onNext(confirmation)
                    case .failure(let error): logger.warning("not charged", metadata: ["error": "\(error)"])
                    }
                })
        }
    }

    /// The server and the pipeline as one group. Services stop in reverse order: the pipeline drains while the server
    /// still answers, and then the server stops.
    func group(server: some Service, drain span: RxTimeInterval) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: server), .init(service: pipeline(drain: span))],
            gracefulShutdownSignals: [.sigterm], logger: logger)
        // Longer than the drains of all services together, and shorter than the time after which an orchestrator kills
        // the process.
        configuration.maximumGracefulShutdownDuration = .seconds(25)
        return ServiceGroup(configuration: configuration)
    }
}
