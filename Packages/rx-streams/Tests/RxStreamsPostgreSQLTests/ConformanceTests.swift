import RxStreams
import RxStreamsConformance
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct ConformanceTests {
        @Test func postgreSQLBrokerKeepsContract() async throws {
            let server = try await TestSchema()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (index, promise) in ConformanceCase.all.enumerated() {
                    if index >= 8 { try await tasks.next() }
                    tasks.addTask {
                        let broker = try server.broker()
                        let environment = ConformanceEnvironment(broker, unit: .milliseconds(400)) {
                            try server.broker()
                        }
                        await #expect(throws: Never.self, "\(promise.name)") { try await promise.run(on: environment) }
                        await broker.close()
                    }
                }
                try await tasks.waitForAll()
            }
            await server.remove()
        }
    }
}
