import Foundation
import NIOCore
import NIOPosix
import Synchronization

@testable import RxStreamsNATS

/// A NATS server whose answers come from the test's script.
final class LittleServer: Sendable {
    struct Script: Sendable {
        var greeting: [String] = []
        /// Called on the loop with each received line. Returns the server's answer; nil closes the connection.
        var answer: @Sendable (String) -> [String]? = { _ in [] }
        var closes = false
    }

    static let info =
        "INFO {\"server_id\":\"LITTLE\",\"server_name\":\"LITTLE\",\"version\":\"2.10.0\",\"headers\":true,"
        + "\"max_payload\":1000,\"jetstream\":true}\r\n"

    static let good = Script(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : [] }

    let port: Int
    private let channel: any Channel
    private let seen: Seen

    /// Guards: each member is protected by its lock.
    private final class Seen: Sendable {
        let children = Mutex<[any Channel]>([])
        let lines = Mutex<[String]>([])
    }

    var lines: [String] { seen.lines.withLock { $0 } }

    var url: String { "nats://127.0.0.1:\(port)" }
    var connections: Int { seen.children.withLock { $0.count } }
    var openConnections: Int { seen.children.withLock { $0.count { $0.isActive } } }

    /// - Parameter script: receives the number of a connection, from 0, and returns the connection's script.
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

    func say(_ text: String) async throws {
        try await seen.children.withLock { $0.last }?.writeAndFlush(ByteBuffer(string: text)).get()
    }

    func drop() async {
        for child in seen.children.withLock({ $0 }) { try? await child.close() }
    }

    func stop() async {
        await drop()
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

// MARK: Requests

extension LittleServer {
    struct Request: Sendable {
        var subject: String
        var reply = ""
        var sid = ""
        var headers: [String] = []
        var body = ""

        func answer(_ text: String) -> String {
            "MSG \(reply) \(sid) \(text.utf8.count)\r\n\(text)\r\n"
        }

        func error(_ code: Int, _ number: Int, _ text: String) -> String {
            answer(#"{"error":{"code":\#(code),"err_code":\#(number),"description":"\#(text)"}}"#)
        }

        func status(_ status: String, _ fields: String...) -> String {
            let block = (["NATS/1.0 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
            return "HMSG \(reply) \(sid) \(block.utf8.count) \(block.utf8.count)\r\n\(block)\r\n"
        }

        /// A message of stream s, delivered by a consumer. `left` is the number of later, undelivered messages.
        func delivery(_ position: Int, number: Int? = nil, status: String? = nil, left: Int = 0) -> String {
            let reply = "$JS.ACK.s.g.1.\(position).\(number ?? position).1.\(left)"
            guard let status else { return "MSG s \(sid) \(reply) 1\r\nx\r\n" }
            let block = "NATS/1.0 \(status)\r\n\r\n"
            return "HMSG s \(sid) \(reply) \(block.utf8.count) \(block.utf8.count)\r\n\(block)\r\n"
        }
    }

    /// Returns a script that sends the greeting, and answers PINGs and published messages.
    ///
    /// - Parameters:
    ///   - info: the greeting.
    ///   - probed: lines sent before the answer to `PullInbox.probe`.
    ///   - answer: called on the loop with all other published messages; nil closes the connection.
    static func asked(
        info: String = info, probed: @escaping @Sendable () -> [String] = { [] },
        _ answer: @escaping @Sendable (Request) -> [String]?
    ) -> Script {
        let reading = Mutex(Reading())
        return Script(greeting: [info]) { line in
            if line == "PING" { return ["PONG\r\n"] }
            guard let request = reading.withLock({ $0.take(line) }) else { return [] }
            if request.body == String(decoding: PullInbox.probe, as: UTF8.self) {
                return probed() + [request.status("408 Request Timeout")]
            }
            return answer(request)
        }
    }

    private struct Reading {
        /// The subscriptions' identifiers, by the prefix of the subject.
        private var sids: [String: String] = [:]
        private var request: Request?
        private var isInHeaders = false

        mutating func take(_ line: String) -> Request? {
            if isInHeaders {
                if line.isEmpty { isInHeaders = false } else { request?.headers.append(line) }
                return nil
            }
            if var whole = request {
                request = nil
                whole.body = line
                return whole
            }
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("SUB", 3): sids[words[1].replacing("*", with: "")] = words[2]
            case ("PUB", 3...4), ("HPUB", 4...5):
                isInHeaders = words[0] == "HPUB"
                var request = Request(subject: words[1])
                if words.count == (isInHeaders ? 5 : 4) {
                    request.reply = words[2]
                    request.sid = sids.first { words[2].hasPrefix($0.key) }?.value ?? ""
                }
                self.request = request
            default: break
            }
            return nil
        }
    }
}
