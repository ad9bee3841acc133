import RxStreams
import RxSwift
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    /// Uses a separate task, because closing might never return.
    private func closes(_ client: NATSClient) async throws {
        let ends = Seen<String>()
        Task {
            await client.close()
            ends.add("closed")
        }
        try await ends.wait { $0 == ["closed"] }
    }

    @Test func closeWhileConnectingReturns() async throws {
        let server = try await LittleServer.start { _ in .init() }
        let client = try NATSClient.testing([server.url]) { $0.connectTimeout = .seconds(600) }
        client.start()
        try await eventually { server.connections == 1 }
        try await closes(client)
        await server.stop()
    }

    @Test func closeDuringBackoffReturns() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.backOff = (.seconds(600), .seconds(600)) }
        client.start()
        try await eventually { await why(client) != "there has been no connection yet" }
        try await closes(client)
    }

    @Test func closeFromStatusObserverPreventsConnection() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        let subscription = client.status.subscribe(
            onNext: { if case .connecting = $0 { client.shutDown() } }, onCompleted: { ends.add("completed") })
        client.start()
        try await ends.wait { $0 == ["completed"] }
        #expect(server.connections == 0)
        subscription.dispose()
        await server.stop()
    }

    @Test func releasedDriverCloses() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let ends = Seen<String>()
        func connect() async throws -> any Disposable {
            let driver = NATSDriver(try NATSClient.testing([server.url]))
            try await driver.client.untilReady(within: .seconds(20))
            return driver.status.subscribe(onCompleted: { ends.add("completed") })
        }
        let subscription = try await connect()
        try await ends.wait { $0 == ["completed"] }
        subscription.dispose()
        await server.stop()
    }

    @Test func waitForConnectionFailureNamesAddress() async throws {
        let client = try NATSClient.testing([Self.nobody])
        client.start()
        try await eventually { await why(client).hasPrefix("127.0.0.1:1: ") }
        await client.close()
    }

    @Test func requestWithoutConnectionFailsAfterItsTimeout() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.requestTimeout = .seconds(600) }
        let ends = Seen<String>()
        Task {
            do {
                _ = try await client.request([OutgoingMessage(subject: "a")], within: .milliseconds(50))
                ends.add("answered")
            } catch BrokerError.unavailable {
                ends.add("unavailable")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { $0 == ["unavailable"] }
        await client.close()
    }

    @Test func waitForConnectionCancelledThrows() async throws {
        let (client, ends) = (try NATSClient.testing([Self.nobody]), Seen<String>())
        let waiting = Task {
            do {
                try await client.untilReady(within: .seconds(600))
                ends.add("ready")
            } catch {
                ends.add("\(error)")
            }
        }
        waiting.cancel()
        try await ends.wait { $0 == ["CancellationError()"] }
        await client.close()
    }

    @Test func waitsForConnectionEndWhenClientIsClosed() async throws {
        let (client, ends) = (try NATSClient.testing([Self.nobody]), Seen<String>())
        try await begin(64, ends: ends) { try await client.untilReady(within: .seconds(600)) }
        await client.close()
        let all = try await ends.wait { $0.count == 64 }
        #expect(Set(all) == ["the broker has been closed"])
    }

    @Test func waitForConnectionAfterLossReportsReason() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        } options: {
            $0.backOff = (.seconds(600), .seconds(600))
        }
        try await client.send([OutgoingMessage(subject: "break")])
        try await eventually { await why(client) == "the server closed the connection" }
        await client.close()
        await server.stop()
    }

    @Test func connectionFailureReasonIsShort() async throws {
        let server = try await LittleServer.start { _ in .init(closes: true) }
        let client = try NATSClient.testing([server.url]) { $0.backOff = (.seconds(600), .seconds(600)) }
        client.start()
        let words = "127.0.0.1:\(server.port): the server closed the connection"
        try await eventually { await why(client) == words }
        await client.close()
        await server.stop()
    }

    @Test func unreachableServerReasonIsShort() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.backOff = (.seconds(600), .seconds(600)) }
        client.start()
        try await eventually { await why(client).hasPrefix("127.0.0.1:1: ") }
        let words = await why(client)
        #expect(!words.contains("SingleConnectionFailure"), "\(words)")
        await client.close()
    }
}
