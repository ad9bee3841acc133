import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RxNIO
import Testing

/// Sends bytes as fast as the server accepts them, and reads the echo at its own pace.
private final class Client: ChannelInboundHandler, @unchecked Sendable {  // the counters are locked
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Counters {
        var sent = 0
        var received = 0
        var isIntact = true
    }

    let counters = NIOLockedValueBox(Counters())
    private let total: Int
    private let pause: TimeAmount
    private let ended: Awaited
    /// The length is a prime number, so reads start at different bytes of the pattern.
    private let pattern = ByteBuffer(bytes: (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })

    init(total: Int, pause: TimeAmount, ended: Awaited) {
        self.total = total
        self.pause = pause
        self.ended = ended
    }

    func channelActive(context: ChannelHandlerContext) {
        fill(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        fill(context)
    }

    private func fill(_ context: ChannelHandlerContext) {
        var sent = counters.withLockedValue { $0.sent }
        guard sent < total else { return }
        while context.channel.isWritable, sent < total {
            var chunk = pattern
            let size = min(chunk.readableBytes, total - sent)
            context.write(wrapOutboundOut(chunk.readSlice(length: size)!), promise: nil)
            sent += size
            counters.withLockedValue { $0.sent = sent }
        }
        context.flush()
        if sent == total { context.close(mode: .output, promise: nil) }
    }

    func channelRead(context _: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        var received = counters.withLockedValue { $0.received }
        var isIntact = true
        buffer.withUnsafeReadableBytes { bytes in
            pattern.withUnsafeReadableBytes { pattern in
                var (from, left) = (0, bytes.count)
                while left > 0 {
                    let at = received % pattern.count
                    let size = min(left, pattern.count - at)
                    if memcmp(bytes.baseAddress! + from, pattern.baseAddress! + at, size) != 0 { isIntact = false }
                    (from, left, received) = (from + size, left - size, received + size)
                }
            }
        }
        counters.withLockedValue { $0 = Counters(sent: $0.sent, received: received, isIntact: $0.isIntact && isIntact) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let channel = context.channel
        channel.eventLoop.scheduleTask(in: pause) { channel.read() }
    }

    func channelInactive(context _: ChannelHandlerContext) {
        ended.come()
    }
}

@Suite(.serialized) struct EchoTests {
    private let mebibyte = 1 << 20

    /// First the client does not read, so that its writes stall. Then it reads everything. The memory must not grow.
    private func echo(_ total: Int) async throws {
        try await withLoops(2) { group in
            let server = try await startEchoServer(on: group, port: 0)
            let ended = Awaited()
            let client = Client(total: total, pause: .microseconds(200), ended: ended)
            let memory = residentMemory()
            let channel = try await ClientBootstrap(group: group)
                .channelOption(.autoRead, value: false)
                .channelOption(.allowRemoteHalfClosure, value: false)
                .channelOption(.socketOption(.so_sndbuf), value: 128 << 10)
                .channelOption(.socketOption(.so_rcvbuf), value: 128 << 10)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(client) }
                }
                .connect(to: server.localAddress!).get()

            var (sent, quiet) = (0, 0)
            while quiet < 40 {
                try await Task.sleep(nanoseconds: 10_000_000)
                let now = client.counters.withLockedValue { $0.sent }
                (sent, quiet) = (now, now == sent && now > 0 ? quiet + 1 : 0)
            }
            #expect(sent < 24 * mebibyte && sent < total)
            #expect(client.counters.withLockedValue { $0.received } == 0)

            channel.read()
            let highest = NIOLockedValueBox(0)
            let watching = Task {
                while !Task.isCancelled {
                    let now = residentMemory()
                    highest.withLockedValue { $0 = max($0, now) }
                    try await Task.sleep(nanoseconds: 5_000_000)
                }
            }
            await ended.wait()
            watching.cancel()
            let counters = client.counters.withLockedValue { $0 }
            #expect(counters.received == total && counters.isIntact)
            let growth = highest.withLockedValue { $0 } - memory
            print("echo of \(total / mebibyte) MiB: stalled after \(sent >> 10) KiB, grew by \(growth >> 10) KiB")
            // Allows for concurrent tests. A server that did not pause would hold 96 MiB or more.
            #expect(growth < 48 * mebibyte)
            try await server.close().get()
        }
    }

    @Test(.timeLimit(.minutes(2))) func echoToSlowReaderKeepsMemoryFlat() async throws {
        try await echo(96 * mebibyte)
    }

    @Test(.enabled(if: isNightly), .timeLimit(.minutes(10))) func echoOfOneGibibyteKeepsMemoryFlat() async throws {
        try await echo(1_024 * mebibyte)
    }

    // MARK: Connections

    private enum Parting: Int, CaseIterable {
        case clientCloses, clientEndsItsOutput, clientResets, serverDisposes
    }

    private final class Reader: ChannelInboundHandler, @unchecked Sendable {  // used on the loop only
        typealias InboundIn = ByteBuffer
        let came: Awaited

        init(_ came: Awaited) {
            self.came = came
        }

        func channelRead(context _: ChannelHandlerContext, data _: NIOAny) {
            came.come()
        }
    }

    private func openAndDrop(_ count: Int) async throws {
        let (disposed, freed) = (NIOLockedValueBox(0), NIOLockedValueBox(0))
        let subscriptions = Guarded<[ObjectIdentifier: any Disposable]>([:])
        let channels = NIOLockedValueBox<[SocketAddress: any Channel]>([:])
        try await withLoops(2) { group in
            let server = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    let witness = Witness { freed.withLockedValue { $0 += 1 } }
                    let close = { @Sendable in channel.close(promise: nil) }
                    let subscription = channel.rx.inbound(of: ByteBuffer.self)
                        .map { buffer in withExtendedLifetime(witness) { buffer } }
                        .write(to: channel)
                        .subscribe(
                            onCompleted: close, onError: { _ in close() },
                            onDisposed: { disposed.withLockedValue { $0 += 1 } })
                    let id = ObjectIdentifier(channel as AnyObject)
                    subscriptions.with { $0[id] = subscription }
                    channels.withLockedValue { $0[channel.remoteAddress!] = channel }
                    channel.closeFuture.whenComplete { _ in
                        let last = subscriptions.with { $0.removeValue(forKey: id) }
                        withExtendedLifetime(last) {}
                    }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let atATime = 50
            for first in stride(from: 0, to: count, by: atATime) {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for number in first..<min(count, first + atATime) {
                        tasks.addTask {
                            let came = Awaited()
                            let parting = Parting.allCases[number % Parting.allCases.count]
                            let client = try await ClientBootstrap(group: group)
                                .channelInitializer { channel in
                                    channel.eventLoop.makeCompletedFuture {
                                        try channel.pipeline.syncOperations.addHandler(Reader(came))
                                    }
                                }
                                .connect(to: server.localAddress!).get()
                            try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 1_000))
                            await came.wait()
                            let accepted = channels.withLockedValue { $0.removeValue(forKey: client.localAddress!) }
                            switch parting {
                            case .clientCloses: try? await client.close().get()
                            case .clientEndsItsOutput:
                                try await client.close(mode: .output).get()
                                try await client.closeFuture.get()
                            case .clientResets:
                                try await (client as? any SocketOptionProvider)?.setSoLinger(
                                    linger(l_onoff: 1, l_linger: 0)
                                ).get()
                                try? await client.close().get()
                            case .serverDisposes:
                                let id = ObjectIdentifier(accepted as AnyObject)
                                subscriptions.with { $0[id] }?.dispose()
                                accepted?.close(promise: nil)
                                try await client.closeFuture.get()
                            }
                        }
                    }
                    try await tasks.waitForAll()
                }
            }
            #expect(await eventually { freed.withLockedValue { $0 } == count })
            #expect(await eventually { disposed.withLockedValue { $0 } == count })
            #expect(await eventually { subscriptions.with(\.isEmpty) })
            try await server.close().get()
        }
    }

    @Test(.timeLimit(.minutes(2))) func droppedConnectionsLeakNothing() async throws {
        try await openAndDrop(300)
    }

    @Test(.enabled(if: isNightly), .timeLimit(.minutes(10))) func tenThousandConnectionsLeakNothing() async throws {
        let memory = residentMemory()
        try await openAndDrop(10_000)
        print("10 000 connections: grew by \((residentMemory() - memory) >> 10) KiB")
    }

    // MARK: The page

    @Test func documentationExampleMatchesTestedServer() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = try String(contentsOf: tests.appendingPathComponent("Support/EchoServer.swift"), encoding: .utf8)
        let page = try String(
            contentsOf: tests.appendingPathComponent("../../Sources/RxNIO/RxNIO.docc/RxNIO.md"), encoding: .utf8)
        #expect(page.contains(example))
    }
}
