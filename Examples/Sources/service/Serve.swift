import ArgumentParser
import Dispatch
import ExampleSupport
import Hummingbird
import Logging
import RxLifecycle
import RxSwift
import ServiceLifecycle
import Synchronization

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The service: POST /orders, POST /orders/charged, GET /confirmations, GET /health/ready. "
            + "SIGTERM drains it.")

    @Option(help: "The port; 0 for any free one.") var port = 8_080
    @Option(help: "The seconds that the drain may take.") var drain = 10
    @Option(help: "The milliseconds that a charge takes.") var charge = 5
    @Flag(help: "Stop the server before the pipeline.") var serverFirst = false
    @Flag(help: "Exit when standard input ends.") var attended = false

    func validate() throws {
        try check("port", port, 0...65_535)
        try check("drain", drain, 1...20)
        try check("charge", charge, 0...60_000)
    }

    func run() async throws {
        if attended { endWithStandardInput() }
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let logger = Logger(label: "service")
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let (counts, span) = (Counts(), RxTimeInterval.milliseconds(charge))
        let service = OrderService(
            charge: { order in
                Single<Int>.timer(span, scheduler: scheduler).map { _ in
                    counts.charged.add(1, ordering: .relaxed)
                    return "order \(order.id)"
                }
            }, logger: logger)

        let router = Router()
        router.add(middleware: CountingPromises(counts: counts))
        service.addRoutes(to: router)
        router.addProbes(service.health)
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 1_024),
            onServerRunning: { channel in say("port \(channel.localAddress?.port ?? 0)") }, logger: logger)
        if serverFirst {
            var configuration = ServiceGroupConfiguration(
                services: [.init(service: service.pipeline(drain: .seconds(drain))), .init(service: server)],
                gracefulShutdownSignals: [.sigterm], logger: logger)
            configuration.maximumGracefulShutdownDuration = .seconds(25)
            try await ServiceGroup(configuration: configuration).run()
        } else {
            try await service.group(server: server, drain: .seconds(drain)).run()
        }
        say(
            "orders \(counts.promised.load(ordering: .relaxed)) \(counts.charged.load(ordering: .relaxed)) "
                + "\(service.orders.unhandled)")
    }
}

private final class Counts: Sendable {
    let promised = Atomic(0)
    let charged = Atomic(0)
}

/// Counts the answers 202 and 200, each of which promises that an order will be charged.
private struct CountingPromises: RouterMiddleware {
    typealias Context = BasicRequestContext

    let counts: Counts

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        if request.method == .post, response.status == .accepted || response.status == .ok {
            counts.promised.add(1, ordering: .relaxed)
        }
        return response
    }
}
