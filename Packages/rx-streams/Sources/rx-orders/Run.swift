import ArgumentParser
import Foundation
import RxStreams

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs API, publisher and worker in one process.")

    @OptionGroup var broker: BrokerOption
    @OptionGroup var worker: WorkerOptions
    @OptionGroup var weather: WeatherOptions
    @Option(help: "The number of orders.") var count = 1_000

    func validate() throws { try Order.check(count: count) }

    func run() async throws {
        let hasLedgers = try !Ledger.read(folder: worker.ledgers).isEmpty
        if hasLedgers, broker.isMissing { throw otherLedgers }
        let broker = try broker.open()
        if hasLedgers, try await !hasOrders(broker) { throw otherLedgers }
        let api = try await weather.server.listen(port: 0)
        let client = PaymentClient(host: "127.0.0.1", port: api.localAddress?.port ?? 0)
        let work = try Worker(broker, worker, client)
        let publish = try Publish.parse(["--count", "\(count)"])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await work.run() }
            tasks.addTask { try await publish.publish(to: broker) }
            try await tasks.next()
            while try await !isDone(broker) { try await Task.sleep(for: .milliseconds(100)) }
            work.stop()
            try await tasks.waitForAll()
        }
        try await api.close()
        let audit = try await Audit(broker, ledgers: worker.ledgers, count: count)
        await broker.close()
        try Output.write(audit.lines.map { $0 + "\n" }.joined())
        if !audit.isWell || !work.hasDrained { throw ExitCode(1) }
    }

    private var otherLedgers: Failure {
        Failure(
            "the ledgers in '\(worker.ledgers)' belong to a run with another broker: choose another folder with "
                + "--ledgers, or remove them")
    }

    /// Returns true if there are orders or the broker is unavailable.
    private func hasOrders(_ broker: any Broker) async throws -> Bool {
        do {
            return try await broker.orders.summary().last > Position(0)
        } catch BrokerError.missing {
            return false
        } catch BrokerError.unavailable {
            return true
        }
    }

    private func isDone(_ broker: any Broker) async throws -> Bool {
        do {
            let state = try await Progress(broker)
            return state.published >= count && state.group.lag == 0
        } catch BrokerError.missing {
            // The worker has not joined yet.
            return false
        }
    }
}
