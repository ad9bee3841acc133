import Dispatch
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOPosix
import RxNIO
import RxResilience
import RxTest
import Testing

private final class Reads: ChannelOutboundHandler, @unchecked Sendable {  // used on the loop only
    typealias OutboundIn = NIOAny
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

private final class Bytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Int

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in unwrapInboundIn(data).readableBytesView { context.fireChannelRead(wrapInboundOut(Int(byte))) }
    }
}

@Suite struct InboundTests {
    private let reads = Reads()
    private let log = Log<String>()

    private func makeChannel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: reads)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func listen(
        to channel: EmbeddedChannel, also: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> any Disposable {
        channel.rx.inbound(of: Int.self).subscribe(
            onNext: { [log] in
                log.add("\($0)")
                also($0)
            }, onError: { [log] in log.add("\($0)") }, onCompleted: { [log] in log.add("completed") })
    }

    private func isInstalled(_ channel: EmbeddedChannel) -> Bool {
        (try? channel.pipeline.syncOperations.context(name: "RxNIO.inbound")) != nil
    }

    @Test func inboundSendsMessagesAndCompletesWithChannel() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel)
        try channel.writeInbound(1)
        try channel.writeInbound(2)
        #expect(log.all == ["1", "2"])
        _ = try channel.finish()
        #expect(log.all == ["1", "2", "completed"])
        subscription.dispose()
    }

    @Test func channelErrorEndsInboundAndIsConsumed() throws {
        let (channel, beyond) = (try makeChannel(), Beyond())
        let subscription = listen(to: channel)
        try channel.pipeline.syncOperations.addHandler(beyond)
        channel.pipeline.fireErrorCaught(Oops())
        #expect(log.all == ["Oops()"] && beyond.all.isEmpty)
        #expect(channel.isActive && !isInstalled(channel))
        channel.pipeline.fireErrorCaught(Oops())
        #expect(beyond.all == ["Oops()"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test(arguments: [true, false]) func resubscriptionDuringEndBecomesNextSubscriber(fails: Bool) throws {
        let (channel, second) = (try makeChannel(), SingleAssignmentDisposable())
        let listenAgain = { @Sendable in second.setDisposable(listen(to: channel)) }
        let first = channel.rx.inbound(of: Int.self).subscribe(
            onError: { _ in listenAgain() }, onCompleted: listenAgain)
        if fails {
            channel.pipeline.fireErrorCaught(Oops())
        } else {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        try channel.writeInbound(1)
        #expect(log.all == ["1"] && isInstalled(channel))
        first.dispose()
        second.dispose()
        _ = try channel.finish()
    }

    @Test func disposalRemovesHandlerAndKeepsChannelOpen() throws {
        let (channel, beyond) = (try makeChannel(), Beyond())
        let subscription = listen(to: channel)
        try channel.pipeline.syncOperations.addHandler(beyond)
        #expect(isInstalled(channel))
        try channel.writeInbound(1)
        subscription.dispose()
        #expect(!isInstalled(channel) && channel.isActive)
        try channel.writeInbound(2)
        #expect(log.all == ["1"] && beyond.all == ["2"])
        _ = try channel.finish()
        #expect(beyond.all == ["2", "inactive"])
    }

    @Test func disposalWithoutHeldReadReadsNothing() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel)
        channel.read()
        #expect(reads.count == 1)
        try channel.writeInbound(1)
        subscription.dispose()
        listen(to: channel).dispose()
        #expect(reads.count == 1 && !isInstalled(channel))
        _ = try channel.finish()
    }

    @Test func autoReadChannelGetsNoReads() throws {
        let channel = EmbeddedChannel(handler: reads)
        let subscription = listen(to: channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(1)
        #expect(log.all == ["1"] && reads.count == 0)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func readRequestedAtEndIsForwarded() throws {
        let channel = try makeChannel()
        let subscription = channel.rx.inbound(of: Int.self).subscribe(onCompleted: { [log] in
            channel.read()
            log.add("completed")
        })
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(log.all == ["completed"] && reads.count == 1)
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func observerMayDisposeInOnNext() throws {
        let channel = try makeChannel()
        let slot = SingleAssignmentDisposable()
        slot.setDisposable(listen(to: channel) { if $0 == 2 { slot.dispose() } })
        for number in 1...4 { channel.pipeline.fireChannelRead(number) }
        #expect(log.all == ["1", "2"] && !isInstalled(channel))
        _ = try channel.finish()
        #expect(log.all == ["1", "2"])
    }

    @Test func observerMayCloseChannelInOnNext() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel) { if $0 == 2 { channel.close(promise: nil) } }
        for number in 1...2 { channel.pipeline.fireChannelRead(number) }
        channel.embeddedEventLoop.run()
        #expect(log.all == ["1", "2", "completed"])
        subscription.dispose()
    }

    @Test func messageReadDuringOnNextIsDeliveredAfterIt() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel) { [log] in
            guard $0 == 1 else { return }
            channel.pipeline.fireChannelRead(2)
            log.add("1 is over")
        }
        channel.pipeline.fireChannelRead(1)
        #expect(log.all == ["1", "1 is over", "2"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func secondConcurrentSubscriptionIsRefused() throws {
        let channel = try makeChannel()
        let first = listen(to: channel)
        listen(to: channel).dispose()
        #expect(log.all == ["isTaken"])
        try channel.writeInbound(1)
        first.dispose()
        let second = listen(to: channel)
        try channel.writeInbound(2)
        #expect(log.all == ["isTaken", "1", "2"])
        second.dispose()
        _ = try channel.finish()
    }

    @Test func closedChannelCompletesAtOnce() throws {
        let channel = try makeChannel()
        _ = try channel.finish()
        listen(to: channel).dispose()
        #expect(log.all == ["completed"])
    }

    @Test func inputClosedCompletesInbound() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.outputClosed)
        #expect(log.all.isEmpty)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(log.all == ["completed"] && channel.isActive && !isInstalled(channel))
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func handlerRemovedExternallyCompletes() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel)
        try channel.pipeline.removeHandler(name: "RxNIO.inbound").wait()
        #expect(log.all == ["completed"])
        subscription.dispose()
        _ = try channel.finish()
    }

    @Test func laterHandlersReceiveAllEventsExceptMessages() throws {
        let (channel, beyond) = (EmbeddedChannel(handler: reads), Beyond())
        let subscription = listen(to: channel)
        try channel.pipeline.syncOperations.addHandler(beyond)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(1)
        channel.pipeline.fireUserInboundEventTriggered(Oops())
        #expect(beyond.signs == ["active", "read is over", "Oops()"] && beyond.all.isEmpty)
        _ = try channel.finish()
        #expect(beyond.all == ["inactive"] && log.all == ["1", "completed"])
        subscription.dispose()
    }

    // MARK: Pauses

    /// Receives elements only when its scheduler runs.
    private final class Slow {
        let scheduler = TestScheduler(initialClock: 0)
        let subscription: any Disposable

        init(_ channel: EmbeddedChannel, _ bound: Int, _ log: Log<String>) {
            subscription = channel.rx.inbound(of: Int.self)
                .observe(on: scheduler, buffering: .pausing(bound))
                .subscribe(
                    onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add("completed") })
        }

        func take(_ channel: EmbeddedChannel) {
            scheduler.start()
            channel.embeddedEventLoop.run()
            scheduler.start()
        }
    }

    /// Returns a channel whose `read()` is held back, because `count` messages wait.
    private func holdRead(bound: Int, messages count: Int) throws -> (EmbeddedChannel, Slow) {
        let channel = try makeChannel()
        let slow = Slow(channel, bound, log)
        for number in 1...count { channel.pipeline.fireChannelRead(number) }
        channel.read()
        #expect(reads.count == 0)
        return (channel, slow)
    }

    @Test func slowObserverHoldsReads() throws {
        let channel = try makeChannel()
        let slow = Slow(channel, 4, log)
        channel.read()
        #expect(reads.count == 1)
        for number in 1...7 { channel.pipeline.fireChannelRead(number) }
        channel.read()
        channel.read()
        #expect(reads.count == 1 && log.all.isEmpty)
        slow.take(channel)
        #expect(log.all == (1...7).map(String.init))
        #expect(reads.count == 2)
        channel.read()
        #expect(reads.count == 3)
        slow.subscription.dispose()
        _ = try channel.finish()
    }

    @Test func readRequestedDuringOnNextIsHeldBehindNewMessages() throws {
        let channel = try makeChannel()
        let subscription = listen(to: channel) { [reads, log] in
            guard $0 == 1 else { return log.add("reads: \(reads.count)") }
            channel.pipeline.fireChannelRead(2)
            channel.read()
        }
        channel.pipeline.fireChannelRead(1)
        #expect(log.all == ["1", "2", "reads: 0"] && reads.count == 1)
        subscription.dispose()
        #expect(reads.count == 1)
        _ = try channel.finish()
    }

    @Test func readIsHeldWhenBufferIsFull() throws {
        // All four messages fit into the buffer of `observe(on:)`, so none waits in the handler.
        let (channel, slow) = try holdRead(bound: 4, messages: 4)
        slow.take(channel)
        #expect(log.all == (1...4).map(String.init) && reads.count == 1)
        slow.subscription.dispose()
        _ = try channel.finish()
    }

    @Test func freeRoomWithoutHeldReadReadsNothing() throws {
        let channel = try makeChannel()
        let slow = Slow(channel, 4, log)
        for number in 1...7 { channel.pipeline.fireChannelRead(number) }
        slow.take(channel)
        #expect(log.all == (1...7).map(String.init) && reads.count == 0)
        slow.subscription.dispose()
        _ = try channel.finish()
    }

    @Test(arguments: [1, 2, 3, 16])
    func readOfManyMessagesLosesNone(bound: Int) throws {
        let channel = try makeChannel()
        let slow = Slow(channel, bound, log)
        // With a bound of 16, the buffer would overflow long before 20 000 messages if the source did not pause.
        let count = bound == 16 ? 20_000 : 500
        for number in 0..<count { channel.pipeline.fireChannelRead(number) }
        while log.all.count < count {
            let before = log.all.count
            slow.take(channel)
            try #require(log.all.count > before)
        }
        #expect(log.all == (0..<count).map(String.init))
        slow.subscription.dispose()
        _ = try channel.finish()
    }

    @Test func endFollowsQueuedMessages() throws {
        let channel = try makeChannel()
        let slow = Slow(channel, 1, log)
        for number in 1...3 { channel.pipeline.fireChannelRead(number) }
        _ = try channel.finish()
        #expect(log.all.isEmpty)
        for _ in 0..<4 { slow.take(channel) }
        #expect(log.all == ["1", "2", "3", "completed"])
        slow.subscription.dispose()
    }

    @Test func queuedErrorIsTheEndThoughChannelCloses() throws {
        let channel = try makeChannel()
        let slow = Slow(channel, 1, log)
        for number in 1...3 { channel.pipeline.fireChannelRead(number) }
        channel.pipeline.fireErrorCaught(Oops())
        _ = try channel.finish()
        for _ in 0..<5 { slow.take(channel) }
        #expect(log.all == ["1", "2", "3", "Oops()"])
        slow.subscription.dispose()
    }

    @Test func messageAfterQueuedErrorGoesToNextHandler() throws {
        let (channel, beyond) = (try makeChannel(), Beyond())
        let slow = Slow(channel, 1, log)
        try channel.pipeline.syncOperations.addHandler(beyond)
        for number in 1...3 { channel.pipeline.fireChannelRead(number) }
        channel.pipeline.fireErrorCaught(Oops())
        channel.pipeline.fireChannelRead(4)
        #expect(beyond.all == ["4"])
        for _ in 0..<5 { slow.take(channel) }
        #expect(log.all == ["1", "2", "3", "Oops()"])
        slow.subscription.dispose()
        _ = try channel.finish()
    }

    @Test func errorAfterQueuedErrorGoesToNextHandler() throws {
        let (channel, beyond) = (try makeChannel(), Beyond())
        let slow = Slow(channel, 1, log)
        try channel.pipeline.syncOperations.addHandler(beyond)
        for number in 1...3 { channel.pipeline.fireChannelRead(number) }
        for _ in 0..<2 { channel.pipeline.fireErrorCaught(Oops()) }
        #expect(beyond.all == ["Oops()"])
        for _ in 0..<5 { slow.take(channel) }
        #expect(log.all == ["1", "2", "3", "Oops()"])
        slow.subscription.dispose()
        _ = try channel.finish()
    }

    @Test func heldReadIsForwardedAtDisposal() throws {
        let (channel, slow) = try holdRead(bound: 1, messages: 3)
        slow.subscription.dispose()
        #expect(reads.count == 1 && !isInstalled(channel))
        slow.take(channel)
        #expect(log.all.isEmpty)
        _ = try channel.finish()
    }

    @Test func heldReadIsForwardedIfHandlerIsRemovedExternally() throws {
        let (channel, slow) = try holdRead(bound: 1, messages: 3)
        try channel.pipeline.removeHandler(name: "RxNIO.inbound").wait()
        #expect(reads.count == 1)
        for _ in 1...3 { slow.take(channel) }
        #expect(log.all == ["1", "2", "3", "completed"])
        #expect(reads.count == 1)
        _ = try channel.finish()
    }

    @Test func droppedMessageMayCloseChannelInDeinit() async {
        await #expect(processExitsWith: .success) {
            let channel = EmbeddedChannel()
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            let subscription = channel.rx.inbound(of: Witness.self)
                .observe(on: TestScheduler(initialClock: 0), buffering: .pausing(1)).subscribe()
            channel.pipeline.fireChannelRead(Witness {})
            channel.pipeline.fireChannelRead(Witness { channel.close(promise: nil) })
            precondition(channel.isActive)
            subscription.dispose()
            precondition(!channel.isActive)
        }
    }

    @Test func droppedMessageMaySubscribeAgainInDeinit() throws {
        let (channel, second) = (try makeChannel(), SingleAssignmentDisposable())
        let first = channel.rx.inbound(of: Witness.self)
            .observe(on: TestScheduler(initialClock: 0), buffering: .pausing(1)).subscribe()
        channel.pipeline.fireChannelRead(Witness {})
        channel.pipeline.fireChannelRead(Witness { second.setDisposable(listen(to: channel)) })
        first.dispose()
        try channel.writeInbound(1)
        #expect(log.all == ["1"] && isInstalled(channel))
        second.dispose()
        _ = try channel.finish()
    }

    private final class Ready: ChannelOutboundHandler, @unchecked Sendable {  // used on the loop only
        typealias OutboundIn = NIOAny
        private(set) var reads = 0

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.fireChannelRead(NIOAny(reads))
        }
    }

    private final class Asking: ChannelInboundHandler, @unchecked Sendable {  // used on the loop only
        typealias InboundIn = Int

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if unwrapInboundIn(data) < 3 { context.read() }
        }
    }

    @Test func readRequestedDuringHeldReadIsForwarded() throws {
        let ready = Ready()
        let channel = EmbeddedChannel(handler: ready)
        let slow = Slow(channel, 1, log)
        try channel.pipeline.syncOperations.addHandler(Asking())
        channel.pipeline.syncOperations.fireChannelRead(NIOAny(0))
        channel.read()
        #expect(ready.reads == 0)
        slow.subscription.dispose()
        #expect(ready.reads == 3)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func messagesOfHeldReadGoToResubscription() throws {
        let (ready, second) = (Ready(), SingleAssignmentDisposable())
        let channel = EmbeddedChannel(handler: ready)
        let first = channel.rx.inbound(of: Int.self)
            .do(onError: { _ in second.setDisposable(listen(to: channel)) })
            .observe(on: TestScheduler(initialClock: 0), buffering: .pausing(1)).subscribe()
        channel.pipeline.fireChannelRead(0)
        channel.read()
        #expect(ready.reads == 0)
        channel.pipeline.fireErrorCaught(Oops())
        #expect(ready.reads == 1 && log.all == ["1"])
        first.dispose()
        second.dispose()
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: [true, false]) func endForwardsReadOnlyIfOneWasHeld(isHeld: Bool) throws {
        let channel = try makeChannel()
        let slow = Slow(channel, 1, log)
        channel.pipeline.fireChannelRead(0)
        if isHeld { channel.read() }
        channel.pipeline.fireErrorCaught(Oops())
        #expect(reads.count == (isHeld ? 1 : 0))
        slow.subscription.dispose()
        #expect(reads.count == (isHeld ? 1 : 0))
        _ = try channel.finish()
    }

    // MARK: Real loops

    /// `initially` is called with the server's channel before it is active.
    private func withConnection(
        autoRead: Bool = true, initially: @escaping @Sendable (any Channel) -> Void = { _ in },
        _ body: (_ client: any Channel, _ server: any Channel) async throws -> Void
    ) async throws {
        try await withLoops(2) { group in
            let accepted = group.next().makePromise(of: (any Channel).self)
            let listener = try await ServerBootstrap(group: group)
                .childChannelOption(.autoRead, value: autoRead)
                .childChannelInitializer { channel in
                    initially(channel)
                    accepted.succeed(channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let client = try await ClientBootstrap(group: group).connect(to: listener.localAddress!).get()
            try await body(client, accepted.futureResult.get())
            try? await client.close().get()
            try await listener.close().get()
        }
    }

    @Test func subscriptionOnOtherThreadDeliversOnChannelLoop() async throws {
        try await withConnection(autoRead: false) { client, server in
            let (strays, bytes, done) = (Log<String>(), NIOLockedValueBox(0), Awaited())
            let subscription = server.rx.inbound(of: ByteBuffer.self).subscribe(
                onNext: { buffer in
                    if !server.eventLoop.inEventLoop { strays.add("next") }
                    bytes.withLockedValue { $0 += buffer.readableBytes }
                },
                onCompleted: {
                    if !server.eventLoop.inEventLoop { strays.add("completed") }
                    done.come()
                })
            // Messages that arrive before the loop has added the handler would be lost.
            try await server.eventLoop.submit {}.get()
            for _ in 0..<100 { try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 1_000)) }
            client.close(promise: nil)
            await done.wait()
            #expect(bytes.withLockedValue { $0 } == 100_000)
            #expect(strays.all.isEmpty)
            subscription.dispose()
        }
    }

    @Test func manualReadChannelIsReadWhenActive() async throws {
        let (sizes, subscriptions) = (Log<Int>(), CompositeDisposable())
        try await withConnection(
            autoRead: false,
            initially: { channel in
                let inbound = channel.rx.inbound(of: ByteBuffer.self)
                _ = subscriptions.insert(inbound.subscribe(onNext: { sizes.add($0.readableBytes) }))
            }
        ) { client, _ in
            try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 10))
            #expect(await eventually { sizes.all == [10] })
        }
        subscriptions.dispose()
    }

    @Test func manualReadChannelAlreadyActiveIsRead() async throws {
        try await withConnection(autoRead: false) { client, server in
            #expect(await eventually { server.isActive })
            let sizes = Log<Int>()
            let subscription = server.rx.inbound(of: ByteBuffer.self).subscribe(onNext: { sizes.add($0.readableBytes) })
            try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 10))
            #expect(await eventually { sizes.all == [10] })
            subscription.dispose()
        }
    }

    @Test func manualReadChannelIsReadAfterEachRead() async throws {
        try await withConnection(autoRead: false) { client, server in
            let sizes = Log<Int>()
            let subscription = server.rx.inbound(of: ByteBuffer.self).subscribe(onNext: { sizes.add($0.readableBytes) })
            for count in 1...3 {
                try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 10))
                let hasCome = await eventually { sizes.all.count == count }
                try #require(hasCome)
            }
            subscription.dispose()
        }
    }

    @Test func readHeldByHandlerItselfIsNotMadeAtDisposal() async throws {
        let (reads, came, subscriptions) = (reads, Awaited(), CompositeDisposable())
        try await withConnection(
            autoRead: false,
            initially: { channel in
                try? channel.pipeline.syncOperations.addHandler(reads)
                let inbound = channel.rx.inbound(of: ByteBuffer.self)
                _ = subscriptions.insert(
                    inbound.do(onNext: { _ in came.come() })
                        .observe(on: TestScheduler(initialClock: 0), buffering: .pausing(1)).subscribe())
            }
        ) { client, server in
            try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 10))
            await came.wait()
            // The first message filled the buffer, so the handler holds the next read.
            let held = try await server.eventLoop.submit { reads.count }.get()
            let passedOn = try await server.eventLoop.submit {
                subscriptions.dispose()
                return reads.count
            }.get()
            #expect(held == 1 && passedOn == 1)
        }
    }

    @Test func subscriptionDisposedBeforeLoopRunsTakesNothing() async throws {
        try await withConnection { _, server in
            let (slot, hold) = (SingleAssignmentDisposable(), DispatchSemaphore(value: 0))
            server.eventLoop.execute {
                hold.wait()
                slot.dispose()
            }
            slot.setDisposable(server.rx.inbound(of: ByteBuffer.self).subscribe())
            hold.signal()
            let isIn = try await server.eventLoop.submit {
                (try? server.pipeline.syncOperations.context(name: "RxNIO.inbound")) != nil
            }.get()
            #expect(!isIn)
        }
    }

    @Test func subscriptionDisposedOnOtherThreadReceivesNothingMore() async throws {
        try await withConnection { client, server in
            let writing = Task {
                while !Task.isCancelled { try await client.writeAndFlush(ByteBuffer(repeating: 7, count: 4_096)) }
            }
            for _ in 0..<100 {
                let (came, isDisposed, late) = (Awaited(), NIOLockedValueBox(false), Log<String>())
                let subscription = server.rx.inbound(of: ByteBuffer.self).subscribe(
                    onNext: { _ in
                        if isDisposed.withLockedValue({ $0 }) { late.add("next") }
                        came.come()
                    }, onError: { late.add("\($0)") })
                await came.wait()
                subscription.dispose()
                // After a turn of the loop, a delivery in progress has ended and the handler has been removed.
                try await server.eventLoop.submit { isDisposed.withLockedValue { $0 = true } }.get()
                let isOut = try await server.eventLoop.submit {
                    (try? server.pipeline.syncOperations.context(name: "RxNIO.inbound")) == nil
                }.get()
                #expect(isOut && late.all.isEmpty)
            }
            writing.cancel()
            _ = try? await writing.value
        }
    }

    /// Returns the answers to five messages. Two are in progress when the drain is stopped.
    private func answered(
        _ drained: @escaping @Sendable (any Channel, Observable<Int>, Drain) -> Observable<Int>
    ) async throws -> [UInt8] {
        let (drain, turn, begun, done) = (Drain(), PublishSubject<Void>(), Log<Int>(), Awaited())
        let (answers, subscriptions) = (Log<UInt8>(), CompositeDisposable())
        try await withConnection(
            initially: { channel in
                try? channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
                try? channel.pipeline.syncOperations.addHandler(Bytes())
                let close = { @Sendable in channel.close(promise: nil) }
                _ = drained(channel, channel.rx.inbound(of: Int.self), drain)
                    .concatMap { number in
                        turn.take(1).map { _ in number }.do(onSubscribe: { begun.add(number) })
                    }
                    .bounded(1)
                    .map { ByteBuffer(integer: UInt8($0)) }
                    .write(to: channel)
                    .counted(by: drain, as: "connections")
                    .subscribe(onCompleted: close, onError: { _ in close() })
            }
        ) { client, server in
            _ = subscriptions.insert(
                client.rx.inbound(of: ByteBuffer.self)
                    .subscribe(onNext: { $0.readableBytesView.forEach(answers.add) }, onCompleted: { done.come() }))
            try await client.writeAndFlush(ByteBuffer(bytes: 1...5))
            #expect(await eventually { begun.all == [1] })
            drain.stop()
            let isServed = Task {
                while !Task.isCancelled {
                    try? await server.eventLoop.submit { turn.onNext(()) }.get()
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
            await done.wait()
            isServed.cancel()
            await isServed.value
            #expect(await eventually { drain.running.isEmpty })
        }
        subscriptions.dispose()
        return answers.all
    }

    @Test func halfClosedConnectionAnswersReadRequests() async throws {
        let answers = try await answered { channel, inbound, drain in
            nonisolated(unsafe) let stop = Observable<Never>.never().until(drain, as: "inputs")
                .subscribe(onCompleted: { channel.close(mode: .input, promise: nil) })
            return inbound.do(onDispose: { stop.dispose() })
        }
        #expect(answers == [1, 2, 3, 4, 5])
    }

    @Test func queuedMessagesAreLostWhenDownstreamDisposes() async throws {
        let answers = try await answered { $1.until($2) }
        #expect(answers == [1, 2])
    }

    @Test func boundedChainRunsOnTestingLoop() async throws {
        let (channel, turn, log) = (NIOAsyncTestingChannel(), PublishSubject<Void>(), log)
        let slot = SingleAssignmentDisposable()
        try await channel.testingEventLoop.submit {
            slot.setDisposable(
                channel.rx.inbound(of: Int.self)
                    .concatMap { number in turn.take(1).map { _ in number } }
                    .bounded(1)
                    .subscribe(onNext: { log.add("\($0)") }))
        }.get()
        for number in 1...5 { try await channel.writeInbound(number) }
        let hasAll = await eventually {
            turn.onNext(())
            return log.all.count == 5
        }
        #expect(hasAll && log.all == ["1", "2", "3", "4", "5"])
        slot.dispose()
        _ = try await channel.finish(acceptAlreadyClosed: true)
    }

    @Test func loopShutDownEndsInbound() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await DatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let events = Log<String>()
        let inbound = channel.rx.inbound(of: AddressedEnvelope<ByteBuffer>.self)
        let early = inbound.subscribe(onError: { events.add(name($0)) }, onCompleted: { events.add("completed") })
        _ = try await channel.eventLoop.submit {}.get()
        try await group.shutdownGracefully()
        #expect(events.all == ["completed"])
        let late = inbound.subscribe(onError: { events.add(name($0)) })
        #expect(events.all == ["completed", "shutdown"])
        early.dispose()
        late.dispose()
    }
}
