import RxStreams
import RxStreamsConformance
import RxSwift
import Testing

@testable import RxStreamsNATS

@Suite(.enabled(if: !BrokerProcess.servers.isEmpty, BrokerProcess.isMissing))
struct ConformanceTests {
    /// All cases on one server, eight at a time; each that fails is named.
    @Test(arguments: BrokerProcess.servers)
    func theBrokerOnAServerKeepsAllPromises(binary: String) async throws {
        let server = try await BrokerProcess(binary)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, promise) in ConformanceCase.all.enumerated() {
                if index >= 8 { try await tasks.next() }
                tasks.addTask {
                    let broker = try NATSBroker.testing(server)
                    do {
                        let environment = ConformanceEnvironment(broker, unit: .milliseconds(400)) {
                            try NATSBroker.testing(server)
                        }
                        try await promise.run(on: environment)
                    } catch {
                        Issue.record("\(promise.name): \(error)")
                    }
                    await broker.close()
                }
            }
            try await tasks.waitForAll()
        }
        withExtendedLifetime(server) {}
    }
}

extension NATSBroker {
    /// A broker that loses patience soon.
    static func testing(_ server: BrokerProcess) throws -> NATSBroker {
        let client = try NATSClient.testing([server.url])
        return NATSBroker(client.options, on: client.loop, logger: client.logger)
    }
}
