import NIOCore
import NIOPosix
import RxResilience
import Synchronization

/// Uses one connection, and reconnects when it is lost.
actor PaymentClient {
    struct Declined: RetryAfter, CustomStringConvertible {
        var retryAfter: RxTimeInterval? { .never }
        let description = "the card is declined"
    }

    private let host: String
    private let port: Int
    private let calls = Calls()
    private var connection: Task<any Channel, any Error>?
    private var lastTag = 0

    init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }

    /// Returns whether the order had been charged before.
    func charge(_ order: Order) async throws -> Bool {
        let channel = try await connected()
        lastTag += 1
        let tag = lastTag
        let line = "charge \(tag) \(order.id) \(order.cents) \(order.isDeclined ? "bad" : "good")\n"
        let answer = try await calls.answer(to: tag) { [calls] in
            channel.writeAndFlush(channel.allocator.buffer(string: line)).whenFailure {
                calls.end(tag, .failure($0))
            }
        }
        switch answer {
        case "ok": return false
        case "again": return true
        case "declined": throw Declined()
        default: throw Failure("the API replied '\(answer)'")
        }
    }

    private func connected() async throws -> any Channel {
        while true {
            let present = connection ?? connect()
            connection = present
            let channel = try? await present.value
            if let channel, channel.isActive { return channel }
            // Another call may already have replaced the connection.
            if connection == present { connection = nil }
            if channel == nil { throw Failure("the API at \(host):\(port) cannot be reached") }
        }
    }

    private func connect() -> Task<any Channel, any Error> {
        Task { [host, port, calls] in
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            ByteToMessageHandler(LineDecoder()), Listener(calls: calls))
                    }
                }
                .connect(host: host, port: port).get()
        }
    }
}

/// Guards: `state` is protected by its lock. The code that removes a call resumes it exactly once, outside of the lock.
private final class Calls: Sendable {
    private let state = Mutex<[Int: CheckedContinuation<String, any Error>]>([:])

    func answer(to tag: Int, _ send: @Sendable () -> Void) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0[tag] = continuation }
                if Task.isCancelled { end(tag, .failure(CancellationError())) } else { send() }
            }
        } onCancel: {
            end(tag, .failure(CancellationError()))
        }
    }

    func end(_ tag: Int, _ result: Result<String, any Error>) {
        state.withLock { $0.removeValue(forKey: tag) }?.resume(with: result)
    }

    func endAll() {
        let all = state.withLock { state in
            defer { state = [:] }
            return state
        }
        for (_, call) in all { call.resume(throwing: Failure("the connection to the API is lost")) }
    }
}

private final class Listener: ChannelInboundHandler {
    typealias InboundIn = String

    private let calls: Calls

    init(calls: Calls) { self.calls = calls }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let words = unwrapInboundIn(data).split(separator: " ")
        if words.count == 2, let tag = Int(words[0]) { calls.end(tag, .success(String(words[1]))) }
    }

    func channelInactive(context: ChannelHandlerContext) { calls.endAll() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
