import Hummingbird
import Logging
import Metrics
import OpenMetrics
import RxInspector
import RxLifecycle
import RxObservability
import RxSwift
import ServiceLifecycle

@main struct Main {
    static func main() async {
        let logger = Logger(label: "quickstart")
        await orExit(logger) { try await run(logger) }
    }

    static func run(_ logger: Logger) async throws {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let metrics = OpenMetrics()
        MetricsSystem.bootstrap(metrics)
        _ = Counters.export(every: .seconds(1), on: scheduler)  // elements, queues, schedulers
        _ = Resilience.export(every: .seconds(1), on: scheduler)  // intake, breaker, budget, drain
        Hooks.log(to: logger)  // unhandled errors, drops
        let inspector = Settings.hasInspector ? Inspector(title: "quickstart") : nil  // before any subscription
        _ = inspector?.watch(stallsLongerThan: nil)  // shows unhandled errors
        Hooks.watchForStalls(longerThan: .seconds(1)) { stall in  // jobs that block a thread
            logger.warning("\(stall)")
            inspector?.record(stall)
        }

        // SIGTERM stops the drain. The pipeline then has ten seconds to handle the accepted orders.
        let orders = Orders(scheduler: scheduler, pay: { pay($0, on: scheduler) })
        let thread = PthreadScheduler(name: "receipts")
        orders.health.add(thread, as: "receipts", stuckAfter: .seconds(30))  // stuck: not live
        let pipeline = RxService("orders", drain: .seconds(10), logger: logger) { drain in
            orders.health.markStarted()
            return orders.pipeline(until: drain, on: thread)
        }

        let router = router(orders, metrics)
        inspector?.addRoutes(to: router)  // shows the inside of the program: put it behind authentication
        let server = Application(
            router: router, configuration: .init(address: try Settings.address()), logger: logger)

        // Services stop in reverse order: the pipeline drains while the server still answers.
        var group = ServiceGroupConfiguration(
            services: [server, pipeline], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(25)
        try await ServiceGroup(configuration: group).run()
        let (accepted, handled) = (orders.accepted.load(ordering: .relaxed), orders.handled.load(ordering: .relaxed))
        logger.info("ended; orders accepted: \(accepted), handled: \(handled)")
    }

    static func router(_ orders: Orders, _ metrics: OpenMetrics) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: MetricsMiddleware())

        // Status 202: the order will be handled, even if SIGTERM comes now. 503: the intake is full or stopping.
        router.post("/orders") { request, context -> HTTPResponse.Status in
            let order = try await request.decode(as: Order.self, context: context)
            guard orders.intake.offer(order).isAccepted else { return .serviceUnavailable }
            orders.accepted.add(1, ordering: .relaxed)
            return .accepted
        }

        // Server-sent events. A client that reads too slowly misses the oldest receipts.
        router.get("/receipts") { _, _ -> Response in
            let body = ResponseBody { writer in
                let receipts = orders.receipts.take(until: Observable.gracefulShutdown())
                for try await receipt in receipts.values(buffering: .newest(100)) {
                    try await writer.write(ByteBuffer(string: "data: \(receipt)\n\n"))
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
        }

        router.get("/metrics") { _, _ in Response(metrics.text, type: OpenMetrics.contentType) }
        router.get("/health/:probe") { _, context -> Response in
            let report = orders.health.report()
            let probes = ["started": report.isStarted, "ready": report.isReady, "live": report.isLive]
            guard let isGood = probes[context.parameters.get("probe") ?? ""] else { throw HTTPError(.notFound) }
            return Response(report.json, type: "application/json", isGood ? .ok : .serviceUnavailable)
        }
        return router
    }
}
