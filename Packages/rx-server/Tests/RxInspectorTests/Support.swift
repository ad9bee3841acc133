import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import RxInspector

struct Script {
    var input = InspectorInput(now: 0)
    var model = InspectorModel()

    init(_ chains: [InspectorInput.Chain] = []) {
        input.chains = chains
    }

    @discardableResult
    mutating func look(after seconds: Double = 1) -> InspectorSnapshot {
        input.now += Int(seconds * 1e9)
        return model.snapshot(of: input)
    }

    /// Takes `count` snapshots, a second apart. Returns the last warnings.
    mutating func warnings(
        _ count: Int, _ change: (inout InspectorInput, Int) -> Void = { _, _ in }
    ) -> [InspectorWarning] {
        var warnings: [InspectorWarning] = []
        for each in 0..<count {
            change(&input, each)
            warnings = look().warnings
        }
        return warnings
    }
}

extension InspectorInput.Chain {
    static func made(
        _ id: Int, _ operators: String..., at site: String = "orders+0x1", events: Int = 0,
        queues: [InspectorInput.Queue] = []
    ) -> Self {
        .init(id: id, operators: operators, events: events, queues: queues, site: [site])
    }
}

struct Connection: Sendable {
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<String>.Continuation

        init(_ continuation: AsyncStream<String>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.finish()
        }
    }

    let channel: any Channel
    let received: AsyncStream<String>

    static func open(_ port: Int) async throws -> Connection {
        let (received, continuation) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return Connection(channel: channel, received: received)
    }

    /// Returns the received text once it contains `end`.
    func ask(_ line: String, host: String = "127.0.0.1:80", until end: String) async throws -> String {
        try await channel.writeAndFlush(ByteBuffer(string: "\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n"))
        var answer = ""
        for await text in received {
            answer += text
            if answer.contains(end) { break }
        }
        return answer
    }
}

struct Shown: Decodable {
    struct Group: Decodable {
        let id: Int
        let parent: Int?
        let inner: Bool
        let operators: [String]
        let site: [String]?
        let places: [String?]?
        let count: Int
        let pausing: Bool
        let failed: Int
        let failureRate: Double
        let queues: [Queue]?
    }

    struct Queue: Decodable {
        let scheduler: String
        let depth: Int
        let bound: Int?
        let pausing: Int
    }

    struct Limit: Decodable {
        let kind: String
        let name: String
        let state: String?
        let fills: [Fill]
    }

    struct Fill: Decodable {
        let label: String
        let value: Double
        let limit: Double?
    }

    struct Failure: Decodable {
        let type: String
        let text: String?
        let count: Int
        let trail: [String]
    }

    struct Warning: Decodable {
        let kind: String
        let subject: String
    }

    let version: Int
    let title: String
    let groups: [Group]
    let limits: [Limit]
    let errors: [Failure]
    let warnings: [Warning]

    init(_ json: String) throws {
        self = try JSONDecoder().decode(Shown.self, from: Data(json.utf8))
    }

    init(event: [UInt8]?) throws {
        let text = String(decoding: event ?? [], as: UTF8.self)
        #expect(text.hasPrefix("data: {") && text.hasSuffix("}\n\n"))
        try self.init(String(text.dropFirst(6)))
    }
}
