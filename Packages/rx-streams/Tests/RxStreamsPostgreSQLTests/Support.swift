import Foundation
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsPostgreSQL

@Suite(.enabled(if: TestSchema.url != nil, "there is no server: scripts/test-postgres.sh sets RX_POSTGRES_URL"))
struct ServerTests {}

struct TestSchema: Sendable {
    static let url = ProcessInfo.processInfo.environment["RX_POSTGRES_URL"]

    let name = "test_" + String(UInt64.random(in: .min ... .max), radix: 36)
    let url: String
    let link: Link

    init() async throws {
        url = try #require(Self.url)
        link = try await Self.connect(url)
    }

    static func connect(_ url: String) async throws -> Link {
        guard case .connected(let made) = try PostgreSQLAddress(url).connect() else {
            throw BrokerError.unavailable("the test's server")
        }
        return Link(made.connection, onNotify: {}, onBreak: { _ in })
    }

    func broker(connections: Int = 4) throws -> PostgreSQLBroker {
        try PostgreSQLBroker(url + "?application_name=\(name)", schema: name, connections: connections)
    }

    /// `@` in the statement stands for the schema's name.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) async throws -> Rows {
        try await link.run(sql.replacing("@", with: name), values, within: .seconds(30))
    }

    func remove() async {
        try? await link.script("DROP SCHEMA IF EXISTS \(name) CASCADE", within: .seconds(60))
        link.close()
    }
}

func eventually(
    _ seconds: Int = 20, _ location: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        if ContinuousClock.now > end {
            Issue.record("not so within \(seconds) s", sourceLocation: location)
            throw CancellationError()
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Guards: the value is protected by its lock.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value { state.withLock { $0 } }

    func change(_ work: @Sendable (inout Value) -> Void) { state.withLock { work(&$0) } }
}
