import NIOCore
import RxSwift

extension Channel {
    /// The channel's reactive extensions.
    public var rx: Reactive<any Channel> { Reactive(self) }
}

/// Why a channel's inbound messages are not to be had.
public enum InboundError: Error, Equatable {
    /// Somebody is subscribed to them already; share one subscription instead: `inbound(of:).share()`.
    case isTaken
}

extension Reactive where Base == any Channel {
    /// What the channel receives; a subscriber that falls behind pauses its reading.
    ///
    /// ```swift
    /// channel.rx.inbound(of: ByteBuffer.self)
    ///     .concatMap { store($0) }
    ///     .bounded(16)
    ///     .subscribe(onError: { error in ... })
    /// ```
    ///
    /// A subscription adds a handler at the end of the pipeline, behind the decoders that are there by then, which
    /// takes every message. In a bounded subscription it holds the reads that the channel asks for while there is no
    /// room, so that the peer has to wait; what one read has brought already waits in the handler, and so does what the
    /// socket still has when the peer ends, for all of that is read then. Where the channel does not read by itself
    /// (its option `autoRead` is false) the handler asks for each read.
    ///
    /// - Ends: it completes when the channel closes, or its input does where half-closure is allowed, behind what
    ///   waits; for a channel that is closed already, at once. An error that comes to the end of the pipeline ends it,
    ///   and goes no further. None of these closes the channel, and who hears of one may subscribe anew: a read that
    ///   another has asked for, and that was held, is passed on after that.
    /// - Disposal lets go of what waits in the handler: these messages are lost, with an `until(drain)` below, too. To
    ///   take nothing more in and lose nothing, close the channel's input, `channel.close(mode: .input)`, where
    ///   half-closure is allowed: it completes behind what waits.
    /// - Disposal takes the handler out, and the pipeline is as it was: a read that was held is passed on, if another
    ///   than the handler has asked for it, and what comes then goes to the next handler, or is lost at the end of the
    ///   pipeline. So close the channel, or subscribe anew, or have `autoRead` set to false: then nothing is read while
    ///   nobody is subscribed, but for a read that is under way, until the peer ends.
    /// - Threads: any thread may subscribe and dispose. Everything is delivered on the channel's loop. A loop that has
    ///   been shut down ends it with `EventLoopError.shutdown`.
    /// - Subscribe before the first read, in the channel's initializer for instance. One subscription at a time:
    ///   another one fails with ``InboundError/isTaken``.
    ///
    /// - Parameter type: what the handler before it sends. A message of another type stops the process, as in every
    ///   handler.
    public func inbound<Message>(of type: Message.Type) -> Observable<Message> {
        let channel = base
        return Observable.create(flow: { out in
            let handler = InboundHandler(channel, out)
            handler.start()
            return handler
        })
    }
}

/// Sends a channel's messages to an observer, and holds its reads while that has no room.
///
/// Guards: everything is the loop's.
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
    /// While the handler is in the pipeline.
    private var context: ChannelHandlerContext?
    /// What came while there was no room: at most what the reads brought that were under way, and what the socket still
    /// had at the peer's end.
    private var waiting = CircularBuffer<Message>()
    /// How it ends, behind what waits.
    private var end: End?
    /// Whether nothing is to be sent any more.
    private var isOver = false
    private var isSending = false
    /// There was no room, and we are told when there is.
    private var isPaused = false
    private var isReadHeld = false
    /// Whether the read that is held is another's.
    private var isOthersReadHeld = false
    /// Whether nobody else asks for reads.
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

    /// Does something on the loop, in a turn of its own.
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
            // It is closed, and so nothing comes any more.
            finish(.completed)
        }
    }

    private func leave() {
        guard let context = stop() else { return }
        if isOthersReadHeld { context.read() }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    /// Sends nothing any more.
    ///
    /// - Returns: the place in the pipeline that is to be left, if it has one.
    private func stop() -> ChannelHandlerContext? {
        isOver = true
        waiting.removeAll()
        return context.take()
    }

    // MARK: Elements

    /// Whether there is room for an element. Where there is none, ``resume()`` is called when there is.
    private func isOpen() -> Bool {
        if !isPaused { isPaused = !out.isOpen }
        return !isPaused
    }

    private func resume() {
        isPaused = false
        send()
    }

    /// Sends what waits, as long as there is room, and then how it ends, or makes the read that was held.
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

    /// Takes the handler out first, so that who subscribes as he hears of the end finds its place free; and passes a
    /// read that was held on last, so that he gets what it brings.
    private func finish(_ end: End) {
        if isOver { return }
        let context = stop()
        if let context { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
        switch end {
        case .completed: out.onCompleted()
        case .failed(let error): out.onError(error)
        }
        if isOthersReadHeld, context != nil { channel.read() }
    }

    /// Reads, now or when there is room.
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
        context = nil
        end(.completed)
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
