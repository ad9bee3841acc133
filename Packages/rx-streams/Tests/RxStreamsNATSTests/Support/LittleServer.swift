import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server that says what a test wants.
final class LittleServer: Sendable {
    /// What it does with one connection.
    struct Script: Sendable {
        /// Said as soon as the connection is there.
        var greeting: [String] = []
        /// Called with each line that comes, on the loop; what is returned is sent. Nil closes the connection.
        var answer: @Sendable (String) -> [String]? = { _ in [] }
        /// Closes as soon as it has greeted.
        var closes = false
    }

    static let info =
        "INFO {\"server_id\":\"LITTLE\",\"server_name\":\"LITTLE\",\"version\":\"2.10.0\",\"headers\":true,"
        + "\"max_payload\":1000,\"jetstream\":true}\r\n"

    /// Greets and answers PINGs, as a server that is well does.
    static let good = Script(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : [] }

    let port: Int
    private let channel: any Channel
    private let seen: Seen

    /// What it has seen. Guards: each is under its lock.
    private final class Seen: Sendable {
        let children = Mutex<[any Channel]>([])
        let lines = Mutex<[String]>([])
    }

    /// What the clients have said.
    var lines: [String] { seen.lines.withLock { $0 } }

    var url: String { "nats://127.0.0.1:\(port)" }
    var connections: Int { seen.children.withLock { $0.count } }

    /// - Parameter script: what to do with the first connection, the second and so on, beginning with 0.
    static func start(_ script: @escaping @Sendable (Int) -> Script) async throws -> LittleServer {
        try await LittleServer(script)
    }

    private init(_ script: @escaping @Sendable (Int) -> Script) async throws {
        let seen = Seen()
        self.seen = seen
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                let number = seen.children.withLock { children in
                    children.append(channel)
                    return children.count - 1
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(script(number), seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async {
        for child in seen.children.withLock({ $0 }) { try? await child.close() }
        try? await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let script: Script
        private let seen: Seen
        private var text = ""

        init(_ script: Script, _ seen: Seen) {
            self.script = script
            self.seen = seen
        }

        func channelActive(context: ChannelHandlerContext) {
            for part in script.greeting { say(part, context) }
            if script.closes { context.close(promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            while let end = text.range(of: "\r\n") {
                let line = String(text[..<end.lowerBound])
                text = String(text[end.upperBound...])
                seen.lines.withLock { $0.append(line) }
                guard let answers = script.answer(line) else { return context.close(promise: nil) }
                for answer in answers { say(answer, context) }
            }
        }

        private func say(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        }
    }
}
