import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The durations of the server's phases, which repeat: healthy, slow, failing.
struct Weather: Sendable {
    enum State: String, Sendable { case well, slow, failing }

    let well, slow, failing: Double

    func state(after seconds: Double) -> State {
        let cycle = well + slow + failing
        guard cycle > 0 else { return .well }
        let place = seconds.truncatingRemainder(dividingBy: cycle)
        return place < well ? .well : place < well + slow ? .slow : .failing
    }
}

/// A server on loopback that charges cards: one request per line, one reply per line.
///
///     charge 17 order-4711 3000 good     request: the tag, the order, the amount, and the card (good or bad)
///     17 ok                              reply: the tag, and ok, again (charged before), declined or failed
///
/// The order's id is the idempotency key: repeated requests charge an order only once. In the failing phase, each reply
/// for a good card is `failed`, but every second such request charges the order.
///
/// Guards: `state` is protected by its lock. All other members are constant.
final class PaymentServer: Sendable {
    struct Counts: Sendable {
        var charged = 0, again = 0, declined = 0, failed = 0
    }

    private struct State {
        var charged: Set<String> = []
        var counts = Counts()
    }

    private let state = Mutex(State())
    private let weather: Weather
    private let delay: TimeAmount
    private let begin = ContinuousClock.now

    init(_ weather: Weather, delayMilliseconds: Int) {
        self.weather = weather
        delay = .milliseconds(Int64(delayMilliseconds))
    }

    var counts: Counts { state.withLock { $0.counts } }

    var now: Weather.State { weather.state(after: (ContinuousClock.now - begin) / .seconds(1)) }

    /// Port 0 chooses any free port.
    func listen(port: Int) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(LineDecoder()), Teller(server: self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    fileprivate func answer(_ line: String) -> (words: String, after: TimeAmount) {
        let words = line.split(separator: " ")
        guard words.count == 5, words[0] == "charge" else { return ("- unknown", .zero) }
        let (weather, order) = (now, String(words[2]))
        let said = state.withLock { state in
            if words[4] == "bad" {
                state.counts.declined += 1
                return "declined"
            }
            if weather == .failing {
                state.counts.failed += 1
                if state.counts.failed % 2 == 0 { return "failed" }
            }
            let isNew = state.charged.insert(order).inserted
            if isNew { state.counts.charged += 1 } else { state.counts.again += 1 }
            return weather == .failing ? "failed" : isNew ? "ok" : "again"
        }
        return ("\(words[1]) \(said)", weather == .slow ? delay : .zero)
    }
}

private final class Teller: ChannelInboundHandler {
    typealias InboundIn = String
    typealias OutboundOut = ByteBuffer

    private let server: PaymentServer

    init(server: PaymentServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (words, pause) = server.answer(unwrapInboundIn(data))
        let channel = context.channel
        let answer = channel.allocator.buffer(string: words + "\n")
        if pause == .zero {
            channel.writeAndFlush(answer, promise: nil)
        } else {
            context.eventLoop.scheduleTask(in: pause) { channel.writeAndFlush(answer, promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

final class LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = String

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
            if buffer.readableBytes > 4_096 { throw Failure("a line of more than 4096 bytes") }
            return .needMoreData
        }
        let line = buffer.readString(length: end - buffer.readerIndex) ?? ""
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }
}
