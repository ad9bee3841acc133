import ArgumentParser
import AsyncHTTPClient
import ExampleSupport
import Foundation
import Hummingbird
import Logging
import Metrics
import RxLifecycle
import RxObservability
import RxSwift
import ServiceLifecycle

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The gateway: GET /users/NAME; GET /metrics. SIGTERM drains it.")

    @Option(help: "The address of the service.") var upstream = "http://127.0.0.1:8081"
    @Option(help: "The port; 0 for any free one.") var port = 8_080
    @Option(help: "The milliseconds that the drain may take.") var drain = 1_000
    @Option(help: "The log level: debug, info, warning.") var level = "info"
    @Flag(help: "Exit when standard input ends.") var attended = false

    func validate() throws {
        try check("port", port, 0...65_535)
        try check("drain", drain, 1...3_600_000)
        guard Logger.Level(rawValue: level) != nil else {
            throw ValidationError("--level must be a log level such as debug, info or warning, not '\(level)'")
        }
        guard let url = URL(string: upstream), url.scheme == "http", url.host != nil else {
            throw ValidationError("--upstream must be an address such as http://127.0.0.1:8081, not '\(upstream)'")
        }
    }

    func run() async throws {
        if attended { endWithStandardInput() }
        let figures = Figures()
        MetricsSystem.bootstrap(figures)
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let logger = Logger(label: "gateway", level: Logger.Level(rawValue: level) ?? .info)
        Hooks.log(to: logger, stallsLongerThan: .seconds(1))

        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let gateway = Gateway(client, upstream: upstream, logger)
        let states = gateway.breaker.states.skip(1)
            .subscribe(onNext: { logger.notice("the breaker is \($0)") })
        defer { states.dispose() }

        let questions = Intake<Question>(atMost: 1_024, name: "questions")
        let service = RxService(
            "questions", drain: .milliseconds(drain), logger: logger, onStopped: { say("left \($0)") }
        ) { drain in
            questions.handling(until: drain) { question in
                gateway.user(question.name).do(
                    onSuccess: { question.answer(.success($0)) }, onError: { question.answer(.failure($0)) })
            }
        }
        // Services stop in reverse order: the gateway answers the accepted requests before the server stops.
        let group = ServiceGroup(
            services: [application(router(questions, figures), port: port, logger), service],
            gracefulShutdownSignals: [.sigterm], logger: logger)
        try await group.run()
        try await client.shutdown()
    }

    private func router(_ questions: Intake<Question>, _ figures: Figures) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/users/:name") { _, context -> Response in
            let name = try context.parameters.require("name")
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { throw HTTPError(.badRequest) }
            do {
                let answer = try await withCheckedThrowingContinuation {
                    (waiting: CheckedContinuation<String, any Error>) in
                    let question = Question(name, waiting)
                    if case .refused(let refusal) = questions.offer(question) { question.answer(.failure(refusal)) }
                }
                return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: answer)))
            } catch {
                return Response(status: HTTPResponse.Status(for: error))
            }
        }
        router.get("/metrics") { _, _ in figures.text }
        return router
    }
}
