import NIOCore
import RxSwift

extension Channel {
    /// The channel's reactive extensions.
    public var rx: Reactive<any Channel> { Reactive(self) }
}

/// Why a channel's inbound messages are not available.
public enum InboundError: Error, Equatable {
    /// The channel already has a subscriber. Share one subscription: `inbound(of:).share()`.
    case isTaken
}

extension Reactive where Base == any Channel {
    /// Returns a sequence of the messages that the channel receives.
    ///
    /// ```swift
    /// channel.rx.inbound(of: ByteBuffer.self)
    ///     .concatMap { store($0) }
    ///     .bounded(16)
    ///     .subscribe(onError: { error in ... })
    /// ```
    ///
    /// A subscription adds a handler at the end of the pipeline, after the existing decoders. The handler takes every
    /// message. In a bounded subscription, the handler withholds the channel's reads while the observer has no room, so
    /// the peer has to wait. Messages of the last read wait in the handler. When the peer has closed, the messages left
    /// in the socket wait in the handler too. If the channel's option `autoRead` is false, the handler requests each
    /// read.
    ///
    /// - Ends: when the channel closes, the sequence sends the waiting messages and completes. If half-closure is
    ///   allowed, the close of the channel's input has the same effect. If the channel is already closed, the sequence
    ///   completes at once. An error that reaches the end of the pipeline fails the sequence, and is not forwarded. An
    ///   end does not close the channel. An observer may subscribe again when it receives the end.
    /// - Disposal drops the messages that wait in the handler. An `until(drain)` below disposes of the sequence when
    ///   the drain is stopped. To stop without loss, close the channel's input with `channel.close(mode: .input)` if
    ///   half-closure is allowed.
    /// - An end or a disposal removes the handler. Later messages go to the next handler, or are lost. Therefore close
    ///   the channel, subscribe again, or set `autoRead` to false. Even with `autoRead` false, messages may arrive
    ///   between two subscriptions, from a read in progress or when the peer closes.
    /// - Threads: any thread may subscribe and dispose. Events are delivered on the channel's loop. If the loop has
    ///   been shut down, the sequence fails with `EventLoopError.shutdown`.
    /// - Subscribe before the first read, for example in the channel's initializer. A second concurrent subscription
    ///   fails with ``InboundError/isTaken``.
    ///
    /// - Parameter type: the type that the previous handler sends. A message of another type traps.
    public func inbound<Message>(of type: Message.Type) -> Observable<Message> {
        let channel = base
        return Observable.create(flow: { out in
            let handler = InboundHandler(channel, out)
            handler.start()
            return handler
        })
    }
}

/// Guards: only the loop's thread uses the state.
private final class InboundHandler<Message>: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler,
    Disposable, @unchecked Sendable  // because of the guard
{
    typealias InboundIn = Message
    typealias OutboundIn = NIOAny

    private enum End {
        case completed
        case failed(any Error)
    }

    private let channel: any Channel
    private let out: FlowObserver<Message>
    private var context: ChannelHandlerContext?
    private var waiting = CircularBuffer<Message>()
    private var end: End?
    private var isOver = false
    private var isSending = false
    /// Whether the observer has no room. If so, ``resume()`` will be called.
    private var isPaused = false
    private var isReadHeld = false
    /// Whether another handler requested the withheld read.
    private var isOthersReadHeld = false
    /// Whether `autoRead` was false when the handler was added. If so, this handler requests each read.
    private var asks = false

    init(_ channel: any Channel, _ out: FlowObserver<Message>) {
        self.channel = channel
        self.out = out
    }

    // MARK: The subscription

    func start() {
        out.onResume { [self] in onLoop { $0.resume() } }
        if channel.eventLoop.inEventLoop { join() } else { onLoop { $0.join() } }
    }

    func dispose() {
        if channel.eventLoop.inEventLoop {
            leave()
        } else {
            channel.eventLoop.call({ self.leave() }, orWhenShutDown: {})
        }
    }

    private func onLoop(_ work: @escaping @Sendable (InboundHandler) -> Void) {
        channel.eventLoop.call({ work(self) }, orWhenShutDown: { [out] in out.onError(EventLoopError.shutdown) })
    }

    private func join() {
        if isOver { return }
        let name = "RxNIO.inbound"
        let pipeline = channel.pipeline.syncOperations
        if (try? pipeline.context(name: name)) != nil { return finish(.failed(InboundError.isTaken)) }
        do {
            try pipeline.addHandler(self, name: name)
        } catch {
            // The channel is closed, so no messages will arrive.
            finish(.completed)
        }
    }

    private func leave() {
        let (context, dropped) = stop()
        guard let context else { return }
        if isOthersReadHeld { context.read() }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        // The `deinit` of a message may close the channel or subscribe again, so the handler is removed first.
        withExtendedLifetime(dropped) {}
    }

    /// Returns the waiting messages. If the handler is still in the pipeline, returns its context too.
    private func stop() -> (ChannelHandlerContext?, dropped: CircularBuffer<Message>) {
        isOver = true
        return (context.take(), exchange(&waiting, with: []))
    }

    // MARK: Elements

    private func isOpen() -> Bool {
        if !isPaused { isPaused = !out.isOpen }
        return !isPaused
    }

    private func resume() {
        isPaused = false
        send()
    }

    /// Sends messages while there is room. Then sends the end, or makes the withheld read.
    private func send() {
        if isSending { return }
        isSending = true
        while !isOver, !waiting.isEmpty, isOpen() { out.onNext(waiting.removeFirst()) }
        if waiting.isEmpty, let end { finish(end) }
        isSending = false
        if isReadHeld { askForMore() }
    }

    private func end(_ how: End) {
        if end == nil { end = how }
        send()
    }

    /// Removes the handler, sends the end, and then forwards the withheld read. So an observer that subscribes again at
    /// the end receives that read's messages.
    private func finish(_ end: End) {
        if isOver { return }
        let (context, _) = stop()
        if let context { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
        switch end {
        case .completed: out.onCompleted()
        case .failed(let error): out.onError(error)
        }
        if isOthersReadHeld, context != nil { channel.read() }
    }

    /// Reads, or withholds the read until there is room.
    private func askForMore() {
        guard let context, !isOver else { return }
        isReadHeld = !waiting.isEmpty || !isOpen()
        if isReadHeld { return }
        isOthersReadHeld = false
        context.read()
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        asks = (try? channel.syncOptions?.getOption(.autoRead)) == false
        if asks, channel.isActive { askForMore() }
    }

    func handlerRemoved(context _: ChannelHandlerContext) {
        // If `context` is nil, `leave` or `finish` has removed the handler, and forwards the withheld read.
        let isRemovedByOthers = context.take() != nil
        end(.completed)
        if isRemovedByOthers, isOthersReadHeld { channel.read() }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if asks { askForMore() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOver || end != nil { return context.fireChannelRead(data) }
        waiting.append(unwrapInboundIn(data))
        send()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if asks { askForMore() }
    }

    func read(context: ChannelHandlerContext) {
        if isOver { return context.read() }
        isOthersReadHeld = true
        askForMore()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if event as? ChannelEvent == .inputClosed { end(.completed) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isOver || end != nil { context.fireErrorCaught(error) } else { end(.failed(error)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        end(.completed)
    }
}
