import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func greetingOfAnotherProtocolIsReported() async throws {
        try await recovers(from: .init(greeting: ["HTTP/1.1 400 Bad Request\r\n\r\n"]), saying: "does not speak NATS")
    }

    @Test func greetingLineTooLongIsReported() async throws {
        let line = String(repeating: "x", count: 66_000)
        try await recovers(from: .init(greeting: [line]), saying: "more than 65536 bytes")
    }

    @Test func serverTooOldIsReported() async throws {
        try await recovers(
            from: .init(greeting: ["INFO {\"server_id\":\"S\",\"version\":\"2.1.9\",\"max_payload\":9}\r\n"]),
            saying: "has version 2.1.9: 2.9 or later")
    }

    @Test func silentServerIsReported() async throws {
        try await recovers(from: .init(), saying: "no answer within 0.4 s", timeout: .milliseconds(400))
    }

    @Test func incompleteGreetingIsReported() async throws {
        try await recovers(
            from: .init(greeting: ["INFO {\"server_id\":"]), saying: "no answer within 0.4 s",
            timeout: .milliseconds(400))
    }

    @Test func serverClosingBeforeGreetingIsReported() async throws {
        try await recovers(from: .init(closes: true), saying: "closed")
    }

    @Test func serverClosingAfterGreetingIsReported() async throws {
        try await recovers(from: .init(greeting: [LittleServer.info]) { _ in nil }, saying: "closed")
    }

    @Test func unreadableInfoIsReported() async throws {
        try await recovers(from: .init(greeting: ["INFO {\"server_id\":7}\r\n"]), saying: "INFO cannot be read")
    }

    @Test func authorizationErrorIsReported() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info]) { $0 == "PING" ? ["-ERR 'Authorization Violation'\r\n"] : [] },
            saying: "Authorization Violation")
    }

    @Test func messageBeforeHandshakeIsReported() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info, "MSG a 1 1\r\nx\r\n"]), saying: "before the handshake")
    }

    @Test func messageTooLargeIsReported() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\n", "MSG a 1 190000000\r\n"] : [] },
            saying: "a message of 190000000 bytes")
    }

    @Test func serverWithoutNonceForKeyIsReported() async throws {
        let authentication = try NATSAuthentication.key(seed: Self.seed)
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url]) { $0.authentication = authentication }
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            all.contains { if case .connecting(_, let why?) = $0 { why.contains("not support keys") } else { false } }
        }
        #expect(!server.lines.contains { $0.hasPrefix("CONNECT") })
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func connectCommandHasOptions() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["nats://me:secret@127.0.0.1:\(server.port)"]) { $0.name = "orders" }
        client.start()
        try await client.untilReady(within: .seconds(20))
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT ") })
        for word in [
            "\"verbose\":false", "\"pedantic\":false", "\"headers\":true", "\"no_responders\":true",
            "\"echo\":true", "\"protocol\":1", "\"tls_required\":false", "\"name\":\"orders\"",
            "\"user\":\"me\"", "\"pass\":\"secret\"",
        ] {
            #expect(connect.contains(word), "\(word) in \(connect)")
        }
        await client.close()
        await server.stop()
    }

    @Test func connectWithTokenSendsIt() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["nats://abc@127.0.0.1:\(server.port)"])
        client.start()
        try await client.untilReady(within: .seconds(20))
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT ") })
        #expect(connect.contains("\"auth_token\":\"abc\""), "\(connect)")
        await client.close()
        await server.stop()
    }

    @Test func brokerConnectsWithNameAndUser() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let broker = try NATSBroker(
            servers: [server.url], authentication: .user("me", password: "secret"), name: "orders")
        try await eventually { server.lines.contains { $0.hasPrefix("CONNECT ") } }
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT ") })
        for word in ["\"name\":\"orders\"", "\"user\":\"me\"", "\"pass\":\"secret\""] {
            #expect(connect.contains(word), "\(word) in \(connect)")
        }
        await broker.close()
        await server.stop()
    }
}
