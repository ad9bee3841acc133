import ArgumentParser
import Foundation
import RxResilience
import RxStreams
import RxSwift
import ServiceLifecycle

struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Charges orders until SIGTERM, then finishes the orders in progress.",
        discussion: "It exits with 0 if all orders in progress were finished, with 3 if --drain was too short.")

    @OptionGroup var broker: BrokerOption
    @OptionGroup var worker: WorkerOptions
    @Option(help: "The address of the API: HOST:PORT.") var api: String

    func validate() throws { _ = try Endpoint(api) }

    func run() async throws {
        let broker = try broker.open()
        let endpoint = try Endpoint(api)
        let client = PaymentClient(host: endpoint.host, port: endpoint.port)
        let worker = try Worker(broker, worker, client)
        // Services stop in reverse order: the worker before the broker.
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: broker),
                    .init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Log.logger))
        try await group.run()
        if !worker.hasDrained { throw ExitCode(3) }
    }
}

struct Endpoint: Sendable {
    let host: String
    let port: Int

    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let port = Int(parts[1]), 1...65_535 ~= port else {
            throw ValidationError("--api needs HOST:PORT, not '\(text)'")
        }
        (host, self.port) = (String(parts[0]), port)
    }
}

struct WorkerOptions: ParsableArguments {
    @Option(help: "The maximum number of orders charged at once.") var concurrency = 16
    @Flag(help: "Charge the orders of each customer one after the other.") var inOrder = false
    @Option(help: "The folder of the ledgers.") var ledgers = "ledgers"
    @Option(help: "The maximum number of attempts per order.") var attempts = 50
    @Option(help: "The seconds after which another worker gets the orders of a dead worker.") var deadline = 10
    @Option(help: "The seconds that orders in progress may take after SIGTERM.") var drain = 10

    func validate() throws {
        try concurrency.check("--concurrency", atLeast: 1)
        try attempts.check("--attempts", atLeast: 1)
        try deadline.check("--deadline", atLeast: 1)
        if !(1...86_400 ~= drain) { throw ValidationError("--drain needs 1 to 86400 seconds, not \(drain)") }
        if ledgers.isEmpty { throw ValidationError("--ledgers needs a folder") }
    }
}
