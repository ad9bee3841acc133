import Dispatch
import NIOCore
import NIOPosix
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func sendWithFullBufferFailsAfterTimeout() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.outgoingLimit = 1000
            $0.requestTimeout = .milliseconds(300)
            $0.pingInterval = .seconds(60)
        }
        // While the loop is blocked, nothing is written.
        let (hold, go) = (DispatchSemaphore(value: 0), client.loop)
        await withCheckedContinuation { held in
            go.execute {
                held.resume()
                hold.wait()
            }
        }
        try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 0, count: 999))])
        await #expect(throws: BrokerError.unavailable("the server does not read what is sent")) {
            try await client.send([OutgoingMessage(subject: "b")])
        }
        hold.signal()
        try await client.send([OutgoingMessage(subject: "c")])
        try await eventually { server.lines.contains("PUB c 0") }
        #expect(!server.lines.contains("PUB b 0"))
        await client.close()
        await server.stop()
    }

    @Test func sendOfTooLargeMessageIsRefused() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url])
        client.start()
        await #expect(throws: BrokerError.refused("a message of 1001 bytes exceeds the server's limit of 1000")) {
            try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 0, count: 1001))])
        }
        await client.close()
        await server.stop()
    }

    @Test func requestsWithOneTooLargeSendNothing() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let large = OutgoingMessage(subject: "b", payload: [UInt8](repeating: 0, count: 1001))
        await #expect(throws: BrokerError.refused("a message of 1001 bytes exceeds the server's limit of 1000")) {
            _ = try await client.request([OutgoingMessage(subject: "a"), large])
        }
        try await client.send([OutgoingMessage(subject: "end")])
        try await eventually { server.lines.contains("PUB end 0") }
        #expect(!server.lines.contains { $0.hasPrefix("PUB a") || $0.hasPrefix("PUB b") })
        await client.close()
        await server.stop()
    }

    @Test func messageSizeIncludesHeaders() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let payload = [UInt8](repeating: 65, count: 983)
        // The header block has 18 bytes.
        await #expect(throws: BrokerError.refused("a message of 1001 bytes exceeds the server's limit of 1000")) {
            try await client.send([
                OutgoingMessage(subject: "a", fields: [.init(name: "K", value: "v")], payload: payload)
            ])
        }
        await client.close()
        await server.stop()
    }

    @Test(arguments: [
        NewMessage("a.*", []), NewMessage("a\r\nPUB b 0", []), NewMessage("a", [], id: "1\r\nNats-Rollup: all"),
        NewMessage("a", [], headers: ["K": "v\r\n\r\nPUB b 0"]), NewMessage("a", [], headers: ["K:": "v"]),
    ])
    func sendOfInjectedCommandIsRefused(message: NewMessage) async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        await #expect(throws: BrokerError.self) { try await driver.send(message) }
        try await driver.send(NewMessage("end", []))
        try await eventually { server.lines.contains("PUB end 0") }
        #expect(server.lines.filter { $0.contains("PUB") } == ["PUB end 0"])
        await driver.close()
        await server.stop()
    }

    @Test func sendOfLargestMessageIsAccepted() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 1000))])
        try await eventually { server.lines.contains("PUB a 1000") }
        await client.close()
        await server.stop()
    }

    /// The server may have lowered its limit, or another server may have accepted the message.
    @Test func receivedMessageMayExceedMaximumPayload() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                let bytes = String(repeating: "x", count: 2_000_000)
                return line.hasPrefix("SUB x") ? ["MSG x 2 2000000\r\n\(bytes)\r\n"] : []
            }
        }
        let sizes = Seen<Int>()
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { sizes.add($0.payload.count) })
        try await sizes.wait { $0 == [2_000_000] }
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    @Test func newLimitOfServerIsApplied() async throws {
        let pings = Seen<Int>()
        let less = LittleServer.info.replacing("\"max_payload\":1000", with: "\"max_payload\":10")
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                return pings.all.count == 1 ? ["PONG\r\n"] : [less, "PONG\r\n"]
            }
        }
        try await client.roundTrip(within: .seconds(20))
        await #expect(throws: BrokerError.refused("a message of 11 bytes exceeds the server's limit of 10")) {
            try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 11))])
        }
        await client.close()
        await server.stop()
    }

    @Test func sayWithoutConnectionThrows() async throws {
        let client = try NATSClient.testing([Self.nobody])
        #expect(throws: BrokerError.unavailable("there has been no connection yet")) {
            try client.say([OutgoingMessage(subject: "a")])
        }
        await client.close()
        #expect(throws: BrokerError.closed) { try client.say([OutgoingMessage(subject: "a")]) }
    }

    @Test func sendsWaitingForRoomResumeWhenThereIsRoom() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            ($0.outgoingLimit, $0.requestTimeout) = (1000, .seconds(600))
        }
        let (hold, go) = (DispatchSemaphore(value: 0), client.loop)
        await withCheckedContinuation { held in
            go.execute {
                held.resume()
                hold.wait()
            }
        }
        defer { hold.signal() }
        try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 999))])
        let ends = Seen<String>()
        // There are more tasks than threads. When all tasks have started, most of them wait in `send`.
        try await begin(64, ends: ends) { try await client.send([OutgoingMessage(subject: "b")]) }
        #expect(ends.all.isEmpty)
        hold.signal()
        let all = try await ends.wait { $0.count == 64 }
        #expect(Set(all) == ["done"])
        await client.close()
        await server.stop()
    }

    private func withoutReading(
        options change: (inout NATSClient.Options) -> Void,
        run body: (NATSClient, any Channel) async throws -> Void
    ) async throws {
        let children = Mutex<[any Channel]>([])
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                children.withLock { $0.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Greeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let client = try NATSClient.testing(["nats://127.0.0.1:\(port)"], change)
        client.start()
        try await client.untilReady(within: .seconds(20))
        try await body(client, try #require(children.withLock { $0.first }))
        await client.close()
        for child in children.withLock({ $0 }) { try? await child.close() }
        try await server.close()
    }

    /// Exceeds the system's socket buffers.
    private static let much = Array(
        repeating: OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 100_000)), count: 300)

    @Test func sendToServerThatReadsNothingFails() async throws {
        try await withoutReading {
            $0.requestTimeout = .milliseconds(300)
        } run: { client, _ in
            await #expect(throws: BrokerError.unavailable("the server does not read what is sent")) {
                for message in Self.much { try await client.send([message]) }
            }
        }
    }

    @Test func answerTimeoutStartsWhenRequestIsWritten() async throws {
        try await withoutReading {
            $0.outgoingLimit = 1 << 30
        } run: { client, channel in
            try client.say(Self.much)
            let (executor, ends) = (QueueExecutor(), Seen<String>())
            Task(executorPreference: executor) {
                do {
                    _ = try await client.request([OutgoingMessage(subject: "b")], within: .milliseconds(100))
                    ends.add("answered")
                } catch {
                    ends.add("\(error)")
                }
            }
            executor.queue.sync {}
            await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
                try await client.roundTrip(within: .milliseconds(300))
            }
            try await channel.writeAndFlush(ByteBuffer(string: "MSG \(client.inbox)1 1 0\r\n\r\n")).get()
            try await ends.wait { $0 == ["answered"] }
        }
    }
}

/// Sends INFO and a PONG without reading the client's PING.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let info = LittleServer.info.replacing("\"max_payload\":1000", with: "\"max_payload\":1000000")
        context.writeAndFlush(NIOAny(ByteBuffer(string: info + "PONG\r\n")), promise: nil)
    }
}
