import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOPosix
import RxNIO
import RxTest
import Testing

private final class Transport: ChannelDuplexHandler, @unchecked Sendable {  // used on the loop only
    typealias InboundIn = Int
    typealias OutboundIn = Int
    private(set) var written: [Int] = []
    private(set) var flushes = 0
    var failing: Int?
    var afterWrite: (Int) -> Void = { _ in }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let element = unwrapOutboundIn(data)
        written.append(element)
        if element == failing { promise?.fail(Oops()) } else { context.write(data, promise: promise) }
        afterWrite(element)
    }

    func flush(context: ChannelHandlerContext) {
        flushes += 1
        context.flush()
    }
}

private final class Silence: ChannelOutboundHandler, @unchecked Sendable {  // used on the loop only
    typealias OutboundIn = Int
    private(set) var answers: [EventLoopPromise<Void>?] = []

    func write(context _: ChannelHandlerContext, data _: NIOAny, promise: EventLoopPromise<Void>?) {
        answers.append(promise)
    }
}

/// Completes flushed writes. When the channel is closed, fails the other writes.
private final class Wire: ChannelOutboundHandler, @unchecked Sendable {  // used on the loop only
    typealias OutboundIn = Int
    private var pending: [(Int, EventLoopPromise<Void>?)] = []
    private(set) var sent: [Int] = []

    func write(context _: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        pending.append((unwrapOutboundIn(data), promise))
    }

    func flush(context _: ChannelHandlerContext) {
        let flushed = pending
        pending = []
        sent += flushed.map(\.0)
        for (_, promise) in flushed { promise?.succeed(()) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let lost = pending
        pending = []
        for (_, promise) in lost { promise?.fail(ChannelError.ioOnClosedChannel) }
        context.close(mode: mode, promise: promise)
    }
}

private final class Hasty: ChannelOutboundHandler, @unchecked Sendable {  // used on the loop only
    typealias OutboundIn = Int

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: nil)
        promise?.succeed(())
    }
}

@Suite struct WriteTests {
    private let transport = Transport()
    private let log = Log<String>()

    private func makeChannel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: transport)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func write(
        _ source: Observable<Int>, to channel: EmbeddedChannel, buffering: Buffering = .pausing(4)
    ) -> any Disposable {
        source.write(to: channel, buffering: buffering)
            .subscribe(
                onCompleted: { [log] in log.add("completed") }, onError: { [log] in log.add(name($0)) },
                onDisposed: { [log] in log.add("disposed") })
    }

    private func set(_ channel: EmbeddedChannel, isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
    }

    private func counting(to count: Int, _ made: Log<Int>) -> Observable<Int> {
        Observable.range(start: 1, count: count).do(onNext: { made.add($0) })
    }

    private func isInstalled(_ channel: EmbeddedChannel) -> Bool {
        channel.pipeline.debugDescription.contains("ChannelWriter")
    }

    @Test func writeKeepsOrderAndCompletesWhenAllIsWritten() throws {
        let channel = try makeChannel()
        let subscription = write(.of(1, 2, 3), to: channel)
        #expect(transport.written.isEmpty)
        channel.embeddedEventLoop.run()
        #expect(transport.written == [1, 2, 3])
        #expect(log.all == ["completed", "disposed"])
        #expect(channel.isActive && !isInstalled(channel))
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func writeCompletesWithItsLastPromise() throws {
        let silence = Silence()
        let channel = EmbeddedChannel(handler: silence)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let subscription = write(.of(1, 2), to: channel)
        channel.embeddedEventLoop.run()
        #expect(silence.answers.count == 2 && log.all.isEmpty)
        silence.answers.first??.succeed(())
        channel.embeddedEventLoop.run()
        #expect(log.all.isEmpty)
        silence.answers.last??.succeed(())
        channel.embeddedEventLoop.run()
        #expect(log.all == ["completed", "disposed"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func emptySourceCompletes() throws {
        let channel = try makeChannel()
        let subscription = write(.empty(), to: channel)
        channel.embeddedEventLoop.run()
        #expect(log.all == ["completed", "disposed"] && transport.flushes == 0)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func turnIsFlushedOnce() throws {
        let channel = try makeChannel()
        let source = PublishSubject<Int>()
        let subscription = write(source.asObservable(), to: channel, buffering: .pausing(32))
        for number in 0..<20 { source.onNext(number) }
        channel.embeddedEventLoop.run()
        #expect(transport.written.count == 20 && transport.flushes == 1)
        source.onNext(20)
        channel.embeddedEventLoop.run()
        #expect(transport.flushes == 2)
        channel.embeddedEventLoop.run()
        #expect(transport.flushes == 2)
        subscription.dispose()
        _ = try channel.finish()
    }

    /// A turn of the writer ends after 256 actions.
    @Test(arguments: 254...258) func largeTurnIsFlushed(count: Int) throws {
        let (channel, source) = (try makeChannel(), PublishSubject<Int>())
        let subscription = write(source.asObservable(), to: channel, buffering: .pausing(1_000))
        for number in 0..<count { source.onNext(number) }
        channel.embeddedEventLoop.run()
        var flushed = 0
        while try channel.readOutbound(as: Int.self) != nil { flushed += 1 }
        #expect(flushed == count)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func longWriteLetsOtherLoopTasksRun() throws {
        let (channel, source, seen) = (try makeChannel(), PublishSubject<Int>(), Log<Int>())
        let subscription = write(source.asObservable(), to: channel, buffering: .pausing(1_000))
        for number in 0..<600 { source.onNext(number) }
        channel.embeddedEventLoop.execute { [transport] in seen.add(transport.written.count) }
        channel.embeddedEventLoop.run()
        #expect(transport.written == Array(0..<600))
        #expect(seen.all.count == 1 && seen.all[0] < 600)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test(arguments: [1, 2, 4, 16])
    func unwritableChannelPausesSource(bound: Int) throws {
        let (channel, made) = (try makeChannel(), Log<Int>())
        channel.isWritable = false
        let subscription = write(counting(to: 200, made), to: channel, buffering: .pausing(bound))
        channel.embeddedEventLoop.run()
        #expect(transport.written.isEmpty && made.all.count == bound)
        transport.afterWrite = { [transport] _ in if transport.written.count % 10 == 0 { channel.isWritable = false } }
        for round in 1...20 {
            set(channel, isWritable: true)
            #expect(transport.written.count == round * 10)
            #expect(made.all.count <= round * 10 + bound)
        }
        #expect(transport.written == Array(1...200))
        set(channel, isWritable: true)
        #expect(log.all == ["completed", "disposed"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func unchangedWritabilityResumesNothing() throws {
        let (channel, made) = (try makeChannel(), Log<Int>())
        channel.isWritable = false
        let subscription = write(counting(to: 100, made), to: channel)
        for _ in 0..<3 { set(channel, isWritable: false) }
        #expect(transport.written.isEmpty && made.all.count == 4)
        subscription.dispose()
        #expect(log.all == ["disposed"])
        set(channel, isWritable: true)
        #expect(transport.written.isEmpty)
        _ = try channel.finish()
    }

    @Test func sourceThatCannotPauseFollowsBufferingPolicy() throws {
        for (buffering, expected, end) in [
            (Buffering.pausing(2), [1, 2], "observe(on:) is full"), (.failing(3), [1, 2, 3], "observe(on:) is full"),
            (.newest(1), [5], ""), (.oldest(2), [1, 2], ""), (.unbounded, [1, 2, 3, 4, 5], ""),
        ] {
            let (channel, source) = (EmbeddedChannel(), PublishSubject<Int>())
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            let ends = Log<String>()
            let subscription = source.write(to: channel, buffering: buffering)
                .subscribe(onError: { ends.add(name($0)) })
            channel.isWritable = false
            for number in 1...5 { source.onNext(number) }
            set(channel, isWritable: true)
            var written: [Int] = []
            while let next = try channel.readOutbound(as: Int.self) { written.append(next) }
            #expect(written == expected, "\(buffering)")
            #expect((ends.all.first ?? "").hasPrefix(end) && ends.all.isEmpty == end.isEmpty, "\(buffering)")
            subscription.dispose()
            _ = try channel.finish()
        }
    }

    @Test func failedWriteEndsWithErrorAndDisposesSource() throws {
        let channel = try makeChannel()
        let source = PublishSubject<Int>()
        transport.failing = 2
        let subscription = write(source.asObservable(), to: channel)
        #expect(isInstalled(channel))
        for number in 1...3 { source.onNext(number) }
        channel.embeddedEventLoop.run()
        #expect(log.all == ["Oops()", "disposed"])
        #expect(transport.written == [1, 2] && !source.hasObservers && !isInstalled(channel))
        #expect(try channel.readOutbound(as: Int.self) == 1)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func sourceErrorFollowsQueuedElements() throws {
        let channel = try makeChannel()
        let subscription = write(Observable.of(1, 2).concat(Observable<Int>.error(Oops())), to: channel)
        channel.embeddedEventLoop.run()
        #expect(transport.written == [1, 2] && transport.flushes == 1)
        #expect(log.all == ["Oops()", "disposed"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func sourceErrorFollowsLastWritePromise() throws {
        let silence = Silence()
        let channel = EmbeddedChannel(handler: silence)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let subscription = write(Observable.of(1, 2).concat(Observable<Int>.error(Oops())), to: channel)
        channel.embeddedEventLoop.run()
        silence.answers.first??.succeed(())
        channel.embeddedEventLoop.run()
        #expect(silence.answers.count == 2 && log.all.isEmpty)
        silence.answers.last??.succeed(())
        channel.embeddedEventLoop.run()
        #expect(log.all == ["Oops()", "disposed"])
        #expect((try? channel.pipeline.syncOperations.context(name: "RxNIO.write")) == nil)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func failedWriteAfterSourceErrorEndsAtOnce() throws {
        let silence = Silence()
        let channel = EmbeddedChannel(handler: silence)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let subscription = write(Observable.of(1, 2).concat(Observable<Int>.error(Oops())), to: channel)
        channel.embeddedEventLoop.run()
        silence.answers.first??.fail(ChannelError.ioOnClosedChannel)
        #expect(log.all == ["closed", "disposed"])
        silence.answers.last??.succeed(())
        channel.embeddedEventLoop.run()
        #expect(log.all == ["closed", "disposed"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test(arguments: ["completion", "error", "map", "overflow"])
    func closingChannelAtSourceEndLosesNothing(end: String) throws {
        let (wire, subject) = (Wire(), PublishSubject<Int>())
        let channel = EmbeddedChannel(handler: wire)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let source: Observable<Int> =
            switch end {
            case "completion": .of(1, 2, 3)
            case "error": Observable.of(1, 2, 3).concat(Observable<Int>.error(Oops()))
            case "map": Observable.of(1, 2, 3, 4).map { if $0 == 4 { throw Oops() } else { $0 } }
            default: subject.asObservable()
            }
        let close = { @Sendable in channel.close(promise: nil) }
        let subscription = source.write(to: channel, buffering: .pausing(end == "overflow" ? 3 : 32))
            .subscribe(onCompleted: close, onError: { _ in close() })
        for number in 1...9 { subject.onNext(number) }
        channel.embeddedEventLoop.run()
        #expect(wire.sent == [1, 2, 3] && !channel.isActive)
        subscription.dispose()
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: [false, true])
    func writeCompletedBeforeFlushIsFlushedBeforeEnd(fails: Bool) throws {
        let wire = Wire()
        let channel = EmbeddedChannel(handlers: [wire, Hasty()])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let close = { @Sendable in channel.close(promise: nil) }
        let subscription = Observable.of(1, 2).concat(fails ? Observable<Int>.error(Oops()) : .empty())
            .write(to: channel).subscribe(onCompleted: close, onError: { _ in close() })
        channel.embeddedEventLoop.run()
        #expect(wire.sent == [1, 2] && !channel.isActive)
        subscription.dispose()
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func closedChannelFailsWithoutSubscribing() throws {
        let channel = try makeChannel()
        _ = try channel.finish()
        let made = Log<Int>()
        let subscription = write(counting(to: 3, made).do(onSubscribe: { made.add(0) }), to: channel)
        channel.embeddedEventLoop.run()
        #expect(log.all == ["closed", "disposed"] && made.all.isEmpty)
        subscription.dispose()
    }

    @Test func closingChannelFailsThoughSourceIsSilent() throws {
        let (channel, source) = (try makeChannel(), PublishSubject<Int>())
        let subscription = write(source.asObservable(), to: channel)
        source.onNext(1)
        channel.embeddedEventLoop.run()
        _ = try channel.finish()
        channel.embeddedEventLoop.run()
        #expect(log.all == ["closed", "disposed"] && !source.hasObservers)
        subscription.dispose()
    }

    @Test func writeAfterChannelClosedFails() throws {
        let (channel, made) = (try makeChannel(), Log<Int>())
        channel.isWritable = false
        let subscription = write(counting(to: 100, made), to: channel)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(log.all == ["closed", "disposed"])
        #expect(made.all.count <= 8 && transport.written.isEmpty)
        subscription.dispose()
    }

    @Test func channelClosedBeforeActiveFails() async throws {
        try await withLoops { group in
            let (source, ends, writing) = (PublishSubject<ByteBuffer>(), Log<String>(), SerialDisposable())
            let made = group.next().makePromise(of: (any Channel).self)
            let connection = ClientBootstrap(group: group)
                .channelInitializer { channel in
                    writing.disposable = source.write(to: channel).subscribe(onError: { ends.add(name($0)) })
                    made.succeed(channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .connect(unixDomainSocketPath: "/nowhere/at/all")
            await #expect(throws: (any Error).self) { _ = try await connection.get() }
            let channel = try await made.futureResult.get()
            try? await channel.closeFuture.get()
            // The loop removes the handler in one turn, and ends the source within two more.
            for _ in 0..<4 { try await channel.eventLoop.submit {}.get() }
            #expect(ends.all == ["closed"] && !source.hasObservers)
            writing.dispose()
        }
    }

    @Test func laterHandlersReceiveChannelInactive() throws {
        let (channel, beyond) = (try makeChannel(), Beyond())
        let subscription = write(.never(), to: channel)
        try channel.pipeline.syncOperations.addHandler(beyond)
        _ = try channel.finish()
        #expect(beyond.all == ["inactive"])
        channel.embeddedEventLoop.run()
        subscription.dispose()
    }

    @Test(arguments: [true, false])
    func sourceEndingWithChannelCompletes(isInboundFirst: Bool) throws {
        let channel = try makeChannel()
        let relay = PublishSubject<Int>()
        let subscriptions = CompositeDisposable()
        if isInboundFirst { _ = subscriptions.insert(channel.rx.inbound(of: Int.self).subscribe(relay)) }
        _ = subscriptions.insert(write(relay.asObservable(), to: channel))
        if !isInboundFirst { _ = subscriptions.insert(channel.rx.inbound(of: Int.self).subscribe(relay)) }
        try channel.writeInbound(1)
        channel.embeddedEventLoop.run()
        _ = try channel.finish()
        channel.embeddedEventLoop.run()
        #expect(transport.written == [1])
        #expect(log.all == ["completed", "disposed"])
        subscriptions.dispose()
    }

    @Test func completedSourceOnUnwritableChannelCompletesWhenChannelCloses() throws {
        let (channel, source) = (try makeChannel(), PublishSubject<Int>())
        channel.isWritable = false
        let subscription = write(source.asObservable(), to: channel)
        source.onCompleted()
        channel.embeddedEventLoop.run()
        #expect(log.all.isEmpty)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(log.all == ["completed", "disposed"])
        subscription.dispose()
    }

    @Test func disposalDuringTurnFlushesWrites() throws {
        let channel = try makeChannel()
        let slot = SingleAssignmentDisposable()
        transport.afterWrite = { if $0 == 2 { slot.dispose() } }
        slot.setDisposable(write(.of(1, 2, 3, 4), to: channel))
        channel.embeddedEventLoop.run()
        #expect(transport.written == [1, 2] && transport.flushes == 1 && !isInstalled(channel))
        #expect(log.all == ["disposed"])
        _ = try channel.finish()
    }

    @Test func severalWritersMayWriteConcurrently() throws {
        let channel = try makeChannel()
        let first = write(.range(start: 0, count: 100), to: channel)
        let second = write(.range(start: 1_000, count: 100), to: channel)
        channel.embeddedEventLoop.run()
        #expect(transport.written.filter { $0 < 1_000 } == Array(0..<100))
        #expect(transport.written.filter { $0 >= 1_000 } == Array(1_000..<1_100))
        #expect(log.all.filter { $0 == "completed" }.count == 2)
        first.dispose()
        second.dispose()
        _ = try channel.finish()
    }

    @Test func allWritersResumeWhenChannelIsWritable() throws {
        let channel = try makeChannel()
        channel.isWritable = false
        let subscriptions = [write(.of(1, 2), to: channel), write(.of(11, 12), to: channel)]
        channel.embeddedEventLoop.run()
        #expect(transport.written.isEmpty)
        set(channel, isWritable: true)
        #expect(transport.written.sorted() == [1, 2, 11, 12])
        #expect(log.all.filter { $0 == "completed" }.count == 2)
        for subscription in subscriptions { subscription.dispose() }
        _ = try channel.finish()
    }

    @Test func subscriptionDisposedBeforeLoopRunsLeavesNoHandler() async throws {
        try await withLoops { group in
            let channel = try await DatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            let (slot, hold) = (SingleAssignmentDisposable(), DispatchSemaphore(value: 0))
            channel.eventLoop.execute {
                hold.wait()
                slot.dispose()
            }
            slot.setDisposable(Observable<ByteBuffer>.never().write(to: channel).subscribe())
            hold.signal()
            let isIn = try await channel.eventLoop.submit {
                (try? channel.pipeline.syncOperations.context(name: "RxNIO.write")) != nil
            }.get()
            #expect(!isIn)
        }
    }

    @Test func disposalOnOtherThreadLeavesNoHandler() async throws {
        try await withLoops { group in
            let channel = try await DatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            @Sendable func isIn() -> Bool {
                (try? channel.pipeline.syncOperations.context(name: "RxNIO.write")) != nil
            }
            let subscription = Observable<ByteBuffer>.never().write(to: channel).subscribe()
            let isInAtFirst = try await channel.eventLoop.submit { isIn() }.get()
            subscription.dispose()
            let isInAtLast = try await channel.eventLoop.submit { isIn() }.get()
            #expect(isInAtFirst && !isInAtLast)
        }
    }

    @Test func disposalReleasesSource() throws {
        let (channel, freed) = (try makeChannel(), Log<String>())
        channel.isWritable = false
        do {
            let witness = Witness { freed.add("freed") }
            let source = Observable.range(start: 0, count: 100).map { number in
                withExtendedLifetime(witness) { number }
            }
            write(source, to: channel).dispose()
        }
        channel.embeddedEventLoop.run()
        #expect(freed.all == ["freed"])
        _ = try channel.finish()
    }

    @Test func loopShutDownEndsWrite() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await DatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let (source, ends) = (PublishSubject<Int>(), Log<String>())
        let early = source.write(to: channel).subscribe(onError: { ends.add(name($0)) })
        _ = try await channel.eventLoop.submit {}.get()
        try await group.shutdownGracefully()
        #expect(ends.all == ["closed"] && !source.hasObservers)
        let late = source.write(to: channel).subscribe(onError: { ends.add(name($0)) })
        #expect(ends.all == ["closed", "shutdown"] && !source.hasObservers)
        early.dispose()
        late.dispose()
    }

    /// An embedded channel does not report that its loop was shut down, so the next element ends the write.
    @Test func elementAfterLoopShutDownEndsWrite() throws {
        let (channel, source) = (try makeChannel(), PublishSubject<Int>())
        let subscription = write(source.asObservable(), to: channel)
        try channel.embeddedEventLoop.syncShutdownGracefully()
        source.onNext(1)
        #expect(log.all == ["shutdown", "disposed"] && !source.hasObservers && transport.written.isEmpty)
        subscription.dispose()
        _ = try channel.finish()
    }
}
