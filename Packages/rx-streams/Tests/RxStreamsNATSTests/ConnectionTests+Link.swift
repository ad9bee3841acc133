import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func channelOfClosedLinkIsClosed() throws {
        let channel = EmbeddedChannel()
        let settings = NATSLink.Settings(
            address: try NATSAddress("a"), authentication: .none, tls: nil, name: "", pingInterval: .seconds(60),
            pingsMissed: 2)
        let link = NATSLink(settings, on: channel.embeddedEventLoop) { _, _ in }
        link.close(because: "the broker has been closed")
        let isClosed = Seen<Bool>()
        channel.closeFuture.whenComplete { _ in isClosed.add(true) }
        try channel.pipeline.syncOperations.addHandler(link)
        channel.embeddedEventLoop.run()
        #expect(isClosed.all == [true])
    }

    @Test func linkEndsAfterMaximumOfUnansweredPings() throws {
        let (channel, frames, ends) = (EmbeddedChannel(), Seen<ServerFrame>(), Seen<String>())
        let link = try link(to: "a", on: channel) { _, frame in frames.add(frame) }
        link.over.futureResult.whenSuccess { ends.add($0) }
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n"))
        for _ in 0..<2 { channel.embeddedEventLoop.advanceTime(by: .seconds(60)) }
        #expect(frames.all == [.ping, .ping] && ends.all.isEmpty)
        // Any data from the server resets the count of unanswered PINGs.
        try channel.writeInbound(ByteBuffer(string: "+OK\r\n"))
        for _ in 0..<2 { channel.embeddedEventLoop.advanceTime(by: .seconds(60)) }
        #expect(frames.all == [.ping, .ping, .ping, .ping] && ends.all.isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(ends.all == ["the server has not answered 2 PINGs"])
        channel.embeddedEventLoop.run()
    }

    @Test func serverPingsWhileWriteIsBlockedAreAnsweredLater() throws {
        let (channel, clog) = (EmbeddedChannel(), Clog())
        let link = try link(to: "a", on: channel)
        try channel.pipeline.syncOperations.addHandler(clog)
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n"))
        channel.embeddedEventLoop.run()
        clog.isClosed = true
        let greeted = clog.writes.count
        for _ in 0..<50 { try channel.writeInbound(ByteBuffer(string: String(repeating: "PING\r\n", count: 100))) }
        channel.embeddedEventLoop.run()
        #expect(clog.writes.count == greeted + 1)
        while clog.open() { channel.embeddedEventLoop.run() }
        let said = clog.writes.dropFirst(greeted).map { String(buffer: $0) }.joined()
        #expect(said == String(repeating: "PONG\r\n", count: 5_000))
        link.close(because: "the test is over")
        channel.embeddedEventLoop.run()
    }

    private final class Clog: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var writes: [ByteBuffer] = []
        var isClosed = false
        private var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            writes.append(unwrapOutboundIn(data))
            if isClosed, let promise { promises.append(promise) } else { promise?.succeed() }
        }

        func open() -> Bool {
            let taken = promises
            promises = []
            for promise in taken { promise.succeed() }
            return !taken.isEmpty
        }
    }

    @Test func partialMessageKeepsLink() throws {
        let (_, channel, ends) = try embeddedLink()
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\nMSG a 1 99\r\n"))
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(60))
            try channel.writeInbound(ByteBuffer(string: "x"))
        }
        #expect(ends.all.isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(180))
        #expect(ends.all == ["the server has not answered 2 PINGs"])
        channel.embeddedEventLoop.run()
    }

    @Test func closedLinkIsReleased() throws {
        let channel = EmbeddedChannel()
        weak var held: NATSLink?
        try connectAndClose(channel) { held = $0 }
        channel.embeddedEventLoop.run()
        #expect(held == nil)
    }

    private func connectAndClose(_ channel: EmbeddedChannel, _ take: (NATSLink) -> Void) throws {
        let link = try link(to: "a", on: channel)
        take(link)
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n"))
        link.close(because: "the test is over")
    }

    @Test func linkErrorFailsReadiness() throws {
        let (channel, ends) = (EmbeddedChannel(), Seen<String>())
        let link = try link(to: "a", on: channel)
        link.ready.futureResult.whenFailure { ends.add("\($0)") }
        try channel.pipeline.syncOperations.addHandler(link)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ETIMEDOUT, reason: "read"))
        #expect(ends.all.count == 1 && ends.all[0].contains("read"), "\(ends.all)")
        link.close(because: "the test is over")
        channel.embeddedEventLoop.run()
    }

    private func embeddedLink() throws -> (NATSLink, EmbeddedChannel, Seen<String>) {
        let (channel, ends) = (EmbeddedChannel(), Seen<String>())
        let link = try link(to: "a", on: channel)
        link.over.futureResult.whenSuccess { ends.add($0) }
        try channel.pipeline.syncOperations.addHandler(link)
        return (link, channel, ends)
    }

    @Test func closedLinkClosesChannel() throws {
        let (link, channel, ends) = try embeddedLink()
        let isClosed = Seen<Bool>()
        channel.closeFuture.whenComplete { _ in isClosed.add(true) }
        link.close(because: "the test is over")
        channel.embeddedEventLoop.run()
        #expect(isClosed.all == [true] && ends.all == ["the test is over"])
    }

    @Test(arguments: [ECONNRESET, EPIPE]) func resetLinkReportsServerClosed(code: Int32) throws {
        let (_, channel, ends) = try embeddedLink()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "read"))
        channel.embeddedEventLoop.run()
        #expect(ends.all == ["the server closed the connection"])
    }

    @Test func protocolErrorReasonIsItsText() throws {
        let (_, channel, ends) = try embeddedLink()
        channel.pipeline.fireErrorCaught(ProtocolFault.lineWithoutReturn)
        channel.embeddedEventLoop.run()
        #expect(ends.all == ["the server sent a line that does not end in CR LF"])
    }

    @Test func serverErrorBeforeResetIsReported() throws {
        let (_, channel, ends) = try embeddedLink()
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n-ERR 'Maximum Connections Exceeded'\r\n"))
        #expect(ends.all.isEmpty)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
        channel.embeddedEventLoop.run()
        #expect(ends.all == ["the server says: Maximum Connections Exceeded"])
    }
}
