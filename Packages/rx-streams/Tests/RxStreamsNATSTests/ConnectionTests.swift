import NIOCore
import NIOEmbedded
import RxStreams
import Testing

@testable import RxStreamsNATS

@Suite(.serialized) struct ConnectionTests {
    static let seed: String = {
        let bytes: [UInt8] = [149, 0] + [UInt8](repeating: 7, count: 32)
        let sum = Base32.checksum(bytes[...])
        return Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
    }()

    /// The system never assigns this port.
    static let nobody = "nats://127.0.0.1:1"

    func connected(
        _ script: @escaping @Sendable (Int) -> LittleServer.Script,
        options change: (inout NATSClient.Options) -> Void = { _ in }
    ) async throws -> (LittleServer, NATSClient) {
        let server = try await LittleServer.start(script)
        let client = try NATSClient.testing([server.url], change)
        client.start()
        try await client.untilReady(within: .seconds(20))
        return (server, client)
    }

    /// The server runs `script` on the first connection and is healthy on the next. Checks that the client reports an
    /// error that contains `words`, and reconnects.
    func recovers(
        from script: LittleServer.Script, saying words: String, timeout: TimeAmount = .seconds(10),
        pings: TimeAmount = .seconds(10)
    ) async throws {
        let server = try await LittleServer.start { $0 == 0 ? script : LittleServer.good }
        let client = try NATSClient.testing([server.url]) {
            ($0.connectTimeout, $0.pingInterval) = (timeout, pings)
        }
        let (seen, subscription) = client.seenStatus()
        client.start()
        let all = try await seen.wait { all in
            all.contains { if case .connecting(_, let why?) = $0 { why.contains(words) } else { false } }
                && all.last == .connected(server: "nats-server 2.10.0")
        }
        #expect(all.first == .connecting(attempt: 1, why: nil))
        await client.close()
        #expect(seen.all.last == .closed)
        subscription.dispose()
        await server.stop()
    }

    func why(_ client: NATSClient) async -> String {
        do {
            try await client.untilReady(within: .milliseconds(1))
            return "there is one"
        } catch BrokerError.unavailable(let why) {
            return why
        } catch {
            return "\(error)"
        }
    }

    func link(
        to address: String, on channel: EmbeddedChannel,
        receive: @escaping @Sendable (NATSLink, ServerFrame) -> Void = { _, _ in }
    ) throws -> NATSLink {
        let settings = NATSLink.Settings(
            address: try NATSAddress(address), authentication: .none, tls: nil, name: "", pingInterval: .seconds(60),
            pingsMissed: 2)
        return NATSLink(settings, on: channel.embeddedEventLoop, receive: receive)
    }

    /// Returns when all tasks have started. Each task finally adds "done" or its error to `ends`.
    func begin(
        _ count: Int, ends: Seen<String>, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let begun = Seen<Int>()
        for number in 0..<count {
            Task {
                begun.add(number)
                do {
                    try await body()
                    ends.add("done")
                } catch {
                    ends.add("\(error)")
                }
            }
        }
        try await begun.wait { $0.count == count }
    }
}
