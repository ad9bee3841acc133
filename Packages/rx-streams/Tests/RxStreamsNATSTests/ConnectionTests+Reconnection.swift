import NIOCore
import NIOPosix
import RxStreams
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func serverClosingInsideMessageIsReportedAndSubscriptionRenewed() async throws {
        let server = try await LittleServer.start { number in
            number > 0
                ? LittleServer.good
                : .init(greeting: [LittleServer.info]) { line in
                    line == "PING"
                        ? ["PONG\r\n"] : line.hasPrefix("SUB x") ? ["MSG x 2 10\r\nabc"] : line == "PUB y 0" ? nil : []
                }
        }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady()
        _ = try client.subscribe(to: "x", isLasting: true) { _ in }
        try await eventually { server.lines.contains("SUB x 2") }
        try await client.send([OutgoingMessage(subject: "y")])
        try await seen.wait { all in
            all.contains {
                if case .connecting(_, let why?) = $0 { why.contains("in the middle of a message") } else { false }
            }
        }
        try await eventually { server.lines.filter { $0 == "SUB x 2" }.count == 2 }
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func connectURLsOfServerAreTried() async throws {
        let second = try await LittleServer.start { _ in LittleServer.good }
        let info = LittleServer.info.replacing(
            "\"jetstream\"", with: "\"connect_urls\":[\"127.0.0.1:\(second.port)\"],\"jetstream\"")
        let first = try await LittleServer.start { _ in
            .init(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : $0.hasPrefix("PUB") ? nil : [] }
        }
        let client = try NATSClient.testing([first.url])
        client.start()
        try await client.untilReady()
        try? await client.send([OutgoingMessage(subject: "end")])
        try await eventually { second.connections > 0 }
        try await client.untilReady()
        await client.close()
        await first.stop()
        await second.stop()
    }

    @Test func attemptsRestartAfterSuccessfulConnection() async throws {
        let server = try await LittleServer.start { number in
            if number == 0 { return LittleServer.Script(closes: true) }
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady(within: .seconds(20))
        try await client.send([OutgoingMessage(subject: "break")])
        let well = BrokerStatus.connected(server: "nats-server 2.10.0")
        let all = try await seen.wait { all in all.firstIndex(of: well).map { $0 + 1 < all.count } ?? false }
        let next = all.drop { $0 != well }.dropFirst().first
        if case .connecting(let attempt, _)? = next {
            #expect(attempt == 1)
        } else {
            Issue.record("\(all)")
        }
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func attemptsCountUpUntilConnected() async throws {
        let server = try await LittleServer.start { $0 < 2 ? .init(closes: true) : LittleServer.good }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        let all = try await seen.wait { $0.contains(.connected(server: "nats-server 2.10.0")) }
        let attempts = all.compactMap { if case .connecting(let attempt, _) = $0 { attempt } else { nil } }
        #expect(attempts == Array(1...attempts.count) && attempts.count >= 3)
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func serverClosingRepeatedlyIsRetriedWithBackoff() async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("SUB") ? nil : []
            }
        }
        let client = try NATSClient.testing([server.url]) { $0.backOff = (.milliseconds(50), .seconds(10)) }
        let begin = NIODeadline.now()
        client.start()
        // The pauses last at least 25, 50, 100, 200, 400 and 800 ms.
        try await eventually { server.connections >= 7 }
        #expect(NIODeadline.now() - begin >= .milliseconds(1_500))
        await client.close()
        await server.stop()
    }

    /// Without its limit, the pause would overflow before the 70th attempt.
    @Test func unreachableServerIsRetriedForever() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.backOff = (.nanoseconds(1), .milliseconds(1)) }
        let (seen, subscription) = client.seenStatus()
        client.start()
        _ = try await seen.wait { $0.count > 70 }
        await client.close()
        subscription.dispose()
    }

    @Test func statusCompletesWhenClientIsClosed() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        let subscription = client.status.subscribe(onCompleted: { ends.add("completed") })
        client.start()
        await client.close()
        try await ends.wait { $0 == ["completed"] }
        subscription.dispose()
        await server.stop()
    }

    @Test func statusLateObserverReceivesCurrentStatus() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url])
        let (early, first) = client.seenStatus()
        client.start()
        try await early.wait { $0.last == .connected(server: "nats-server 2.10.0") }
        let (late, second) = client.seenStatus()
        #expect(late.all == [.connected(server: "nats-server 2.10.0")])
        await client.close()
        first.dispose()
        second.dispose()
        await server.stop()
    }

    @Test func establishedConnectionOutlivesConnectTimeout() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.connectTimeout = .milliseconds(500)
        }
        let connections = server.connections
        try await client.loop.scheduleTask(in: .milliseconds(600)) {}.futureResult.get()
        try await client.roundTrip(within: .seconds(20))
        #expect(server.connections == connections)
        await client.close()
        await server.stop()
    }

    @Test func nameWithTwoAddressesConnectsToTheAnsweringOne() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["nats://two:\(server.port)"]) {
            $0.resolver = TwoAddresses(loop: MultiThreadedEventLoopGroup.singleton.any(), last: "127.0.0.1")
        }
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady(within: .seconds(20))
        #expect(server.connections == 1)
        await client.close()
        #expect(seen.all == [.connecting(attempt: 1, why: nil), .connected(server: "nats-server 2.10.0"), .closed])
        subscription.dispose()
        await server.stop()
    }

    @Test func nameWithoutAnsweringAddressReportsRefused() async throws {
        let client = try NATSClient.testing(["nats://two:1"]) {
            $0.resolver = TwoAddresses(loop: MultiThreadedEventLoopGroup.singleton.any(), last: "127.0.0.1")
            $0.backOff = (.seconds(600), .seconds(600))
        }
        client.start()
        try await eventually { await why(client).contains("refused") }
        await client.close()
    }

    @Test(arguments: ["", "CONNECT", "PING"])
    func learnedServerReceivesCredentialsOfNamingServer(isNamedBehind word: String) async throws {
        let third = try await LittleServer.start { _ in LittleServer.good }
        let naming = LittleServer.info.replacing(
            "\"jetstream\"", with: "\"connect_urls\":[\"127.0.0.1:\(third.port)\"],\"jetstream\"")
        let second = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [word.isEmpty ? naming : LittleServer.info]) { line in
                if line.hasPrefix("CONNECT ") { return word == "CONNECT" ? [naming] : [] }
                if line == "PING" { return word == "PING" ? ["PONG\r\n", naming] : ["PONG\r\n"] }
                return line.hasPrefix("PUB") ? nil : []
            }
        }
        let client = try NATSClient.testing([Self.nobody, "nats://me:secret@127.0.0.1:\(second.port)"])
        client.start()
        try await client.untilReady(within: .seconds(20))
        try? await client.send([OutgoingMessage(subject: "end")])
        try await eventually { third.lines.contains { $0.hasPrefix("CONNECT ") } }
        let connect = try #require(third.lines.first { $0.hasPrefix("CONNECT ") })
        #expect(connect.contains("\"user\":\"me\"") && connect.contains("\"pass\":\"secret\""), "\(connect)")
        await client.close()
        await second.stop()
        await third.stop()
    }
}

/// Resolves every name to two addresses. The first one has no server.
private struct TwoAddresses: Resolver, Sendable {
    let loop: any EventLoop
    let last: String

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeCompletedFuture {
            [try SocketAddress(ipAddress: "127.0.0.2", port: port), try SocketAddress(ipAddress: last, port: port)]
        }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture([])
    }

    func cancelQueries() {}
}
