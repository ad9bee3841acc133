import NIOCore
import NIOEmbedded
import NIOSSL
import RxStreams
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func tlsURLOfServerWithoutTLSSendsNothing() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["tls://user:secret@127.0.0.1:\(server.port)"])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            all.contains { if case .connecting(_, let why?) = $0 { why.contains("not support TLS") } else { false } }
        }
        #expect(server.lines.isEmpty)
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func tlsSettingWithServerWithoutTLSSendsNothing() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        let client = try NATSClient.testing([server.url]) { $0.tls = context }
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            server.lines.contains { $0.hasPrefix("CONNECT") }
                || all.contains { if case .connecting(_, let why?) = $0 { why.contains("support TLS") } else { false } }
        }
        #expect(server.lines.isEmpty)
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func tlsRequiredByServerSendsNoConnectInClear() async throws {
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_required\":true,\"jetstream\"")
        let server = try await LittleServer.start { _ in .init(greeting: [info, "PONG\r\n"]) }
        let client = try NATSClient.testing(["nats://user:secret@127.0.0.1:\(server.port)"])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            all.contains { if case .connecting(1, nil) = $0 { false } else { true } }
        }
        #expect(!server.lines.contains { $0.hasPrefix("CONNECT") })
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func bytesInClearBeforeTLSAreRefused() async throws {
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_required\":true,\"jetstream\"")
        try await recovers(from: .init(greeting: [info + "PING\r\n"]), saying: "sent plain text")
    }

    @Test(arguments: ["tls://nats.example.org", "tls://127.0.0.1"])
    func tlsHandshakeNamesServerUnlessAddressIsNumeric(address: String) throws {
        let channel = EmbeddedChannel()
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 4222), promise: nil)
        channel.embeddedEventLoop.run()
        let link = try link(to: address, on: channel)
        try channel.pipeline.syncOperations.addHandler(link)
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_available\":true,\"jetstream\"")
        try channel.writeInbound(ByteBuffer(string: info))
        channel.embeddedEventLoop.run()
        var said: [UInt8] = []
        while let part = try channel.readOutbound(as: ByteBuffer.self) { said += Array(part.readableBytesView) }
        // A TLS handshake record begins with the byte 22.
        #expect(said.first == 22)
        let isNamed = String(decoding: said, as: UTF8.self).contains("nats.example.org")
        #expect(isNamed == (address == "tls://nats.example.org"))
        link.close(because: "the test is over")
        // Ends the wait for the peer's closing message.
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    }

    @Test func brokerWithTLSSendsNothingInClear() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let broker = try NATSBroker(servers: [server.url], tls: .makeClientConfiguration())
        let seen = Seen<BrokerStatus>()
        let subscription = broker.driver.status.subscribe(onNext: { seen.add($0) })
        try await seen.wait { $0.contains { $0 != .connecting(attempt: 1, why: nil) } }
        #expect(server.lines.isEmpty)
        await broker.close()
        subscription.dispose()
        await server.stop()
    }

    /// BoringSSL's errors contain paths of its source files.
    @Test func tlsErrorNamesNoSourceFile() async throws {
        let text = """
            handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 1 error:1:SSL routines:OPENSSL_internal:CERTIFICATE\
            _VERIFY_FAILED at /build/of/somebody/ssl/handshake.cc:298, Error: 2 error:2:X at /a b/tls_record.cc.inc:9]))
            """
        struct Fault: Error, CustomStringConvertible {
            let description: String
        }
        #expect(
            NATSLink.words(Fault(description: text)) == """
                handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 1 error:1:SSL routines:OPENSSL_internal:CERTIF\
                ICATE_VERIFY_FAILED, Error: 2 error:2:X]))
                """)
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_required\":true,\"jetstream\"")
        let server = try await LittleServer.start { _ in .init(greeting: [info]) }
        let client = try NATSClient.testing([server.url])
        client.start()
        var words = ""
        try await eventually {
            // If TLS has not started yet, the client refuses the bytes for another reason.
            try? await server.say(String(repeating: "x", count: 100))
            words = await why(client)
            return words.contains("handshakeFailed")
        }
        #expect(words.contains("SSL routines") && !words.contains(".cc") && !words.contains("/"), "\(words)")
        await client.close()
        await server.stop()
    }
}
