import RxStreams
import RxStreamsConformance
import RxSwift
import Testing

@testable import RxStreamsNATS

@Suite(.enabled(if: !BrokerProcess.servers.isEmpty, BrokerProcess.isMissing))
struct ConformanceTests {
    /// A NATS 2.9 server fails these cases. It sends some redelivered messages twice. It starts a group at the stream's
    /// end instead of at a future position.
    private static let notKeptBy29: Set = [
        "an unsettled message comes again after the deadline, with the next attempt",
        "a message to retry comes after its pause, not before",
        "an extended message does not come again before its new deadline",
        "a late verdict is not an error",
        "a group may begin at a future position",
    ]

    @Test func knownFailuresExist() {
        #expect(Self.notKeptBy29.isSubset(of: ConformanceCase.all.map(\.name)))
    }

    @Test(arguments: BrokerProcess.servers)
    func natsBrokerKeepsContract(binary: String) async throws {
        let server = try await BrokerProcess(binary)
        let notKept = try server.version().hasPrefix("2.9.") ? Self.notKeptBy29 : []
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, promise) in ConformanceCase.all.enumerated() {
                if index >= 8 { try await tasks.next() }
                tasks.addTask {
                    let broker = try NATSBroker.testing(server)
                    let environment = ConformanceEnvironment(broker, unit: .milliseconds(400)) {
                        try NATSBroker.testing(server)
                    }
                    await withKnownIssue("a server of 2.9", isIntermittent: true) {
                        await #expect(throws: Never.self, "\(promise.name)") { try await promise.run(on: environment) }
                    } when: {
                        notKept.contains(promise.name)
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
    static func testing(_ server: BrokerProcess) throws -> NATSBroker {
        let client = try NATSClient.testing([server.url])
        return NATSBroker(client.options, on: client.loop, logger: client.logger)
    }
}
