import NIOCore
import RxSwift

extension ObservableType {
    /// Writes the elements to a channel, as fast as it takes them; completes when the last of them has been written.
    ///
    /// ```swift
    /// rows.map(encode).write(to: channel)
    ///     .subscribe(onCompleted: { channel.close(promise: nil) }, onError: { _ in channel.close(promise: nil) })
    /// ```
    ///
    /// While the channel is not writable nothing is written; a source that can pause does, once as many elements wait
    /// as `buffering` says. Besides those, the channel holds what its water marks allow and one element. What a turn of
    /// the loop writes is flushed together.
    ///
    /// - Ends: an error of the source comes when what it sent before has been written, as its completion does, so that
    ///   who closes the channel then loses nothing; one of a write ends it at once, and so does the closing of the
    ///   channel, with `ChannelError.ioOnClosedChannel`, unless the source ends with the channel and all has been
    ///   written. A loop that has been shut down ends it with `EventLoopError.shutdown`. The channel is not closed.
    ///   A peer that takes nothing holds the end up until it is gone.
    /// - Disposal: what waits is let go of; what has been handed to the channel is written. The channel is not closed.
    /// - Threads: any thread may subscribe and dispose. The source is subscribed to on the calling thread; where it was
    ///   paused, it goes on at the channel's loop, or where a `subscribe(on:)` says. The end comes on the loop.
    /// - Several may write to one channel at a time; their elements alternate.
    ///
    /// - Parameters:
    ///   - channel: where the elements go, through its pipeline.
    ///   - buffering: how many elements may wait for the channel, and what becomes of more. Of what cannot pause, a
    ///     subject for instance, say what is to happen: `.failing(1_000)` gives a slow peer up, `.newest(1)` spares it
    ///     what is out of date.
    public func write(to channel: any Channel, buffering: Buffering = .pausing(32)) -> Completable {
        let source = asObservable()
        return Completable.create { observer in
            let writer = ChannelWriter<Element>(channel, observer)
            writer.start(source, buffering)
            return writer
        }
    }
}

/// Writes to a channel what its gate lets through.
///
/// Guards: `subscription` and `gate` have their own; everything else is the loop's, or of who finds it shut down.
private final class ChannelWriter<Element>: ChannelInboundHandler, RemovableChannelHandler, Disposable,
    @unchecked Sendable  // because of the guards
{
    typealias InboundIn = NIOAny

    private let channel: any Channel
    private let observer: Completable.CompletableObserver
    private let subscription = SingleAssignmentDisposable()
    private let gate: WriteGate
    /// While the handler is in the pipeline.
    private var context: ChannelHandlerContext?
    /// How many writes have not been answered.
    private var unanswered = 0
    private var isFlushDue = false
    /// How the source has ended.
    private var sourceEnd: CompletableEvent?
    private var isOver = false
    private var isClosed = false

    init(_ channel: any Channel, _ observer: @escaping Completable.CompletableObserver) {
        self.channel = channel
        self.observer = observer
        gate = WriteGate(channel.eventLoop)
    }

    // MARK: The subscription

    func start(_ source: Observable<Element>, _ buffering: Buffering) {
        gate.isOpen = { [weak self] in self?.isOpen ?? false }
        gate.hasPassed = { [weak self] in self?.flush() }
        gate.isShutDown = { [weak self] in self?.finish(.error(EventLoopError.shutdown)) }
        if channel.eventLoop.inEventLoop { join() } else { onLoop { $0.join() } }
        if subscription.isDisposed { return }
        subscription.setDisposable(
            source.observe(on: gate, buffering: buffering)
                .subscribe(
                    onNext: { [self] in write($0) }, onError: { [self] in end(.error($0)) },
                    onCompleted: { [self] in end(.completed) }))
    }

    func dispose() {
        subscription.dispose()
        gate.close()
        if channel.eventLoop.inEventLoop {
            leave()
        } else {
            channel.eventLoop.call({ self.leave() }, orWhenShutDown: {})
        }
    }

    /// Does something on the loop, in a turn of its own.
    private func onLoop(_ work: @escaping @Sendable (ChannelWriter) -> Void) {
        channel.eventLoop.call(
            { work(self) }, orWhenShutDown: { self.finish(.error(EventLoopError.shutdown)) })
    }

    private func join() {
        if isOver { return }
        do {
            try channel.pipeline.syncOperations.addHandler(self, name: "RxNIO.write")
        } catch {
            finish(.error(error))
        }
    }

    private func leave() {
        isOver = true
        guard let context = context.take() else { return }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func finish(_ event: CompletableEvent) {
        if isOver { return }
        isOver = true
        subscription.dispose()
        gate.close()
        observer(event)
    }

    // MARK: Elements

    private var isOpen: Bool { isClosed || channel.isWritable }

    private func write(_ element: Element) {
        if isOver { return }
        if isClosed { return finish(.error(ChannelError.ioOnClosedChannel)) }
        let written = channel.eventLoop.makePromise(of: Void.self)
        unanswered += 1
        isFlushDue = true
        written.futureResult.whenComplete { self.answered($0) }
        channel.pipeline.syncOperations.write(NIOAny(element), promise: written)
    }

    private func answered(_ result: Result<Void, any Error>) {
        unanswered -= 1
        switch result {
        case .success: finishIfWritten()
        case .failure(let error): finish(.error(error))
        }
    }

    private func end(_ event: CompletableEvent) {
        sourceEnd = event
        finishIfWritten()
    }

    /// Flushes first: a handler may answer what it has yet to hand on.
    private func finishIfWritten() {
        guard let sourceEnd, unanswered == 0 else { return }
        flush()
        finish(sourceEnd)
    }

    private func flush() {
        guard isFlushDue else { return }
        isFlushDue = false
        channel.pipeline.syncOperations.flush()
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context _: ChannelHandlerContext) {
        context = nil
        close()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        gate.look()
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        close()
    }

    /// Nothing can be written any more. The next element that waits finds out; where none does, a source that ends with
    /// the channel has two turns to say so: one in which it hears of it, and one in which its end passes the gate.
    private func close() {
        if isClosed || isOver { return }
        isClosed = true
        gate.look()
        onLoop { $0.onLoop { $0.finish(.error(ChannelError.ioOnClosedChannel)) } }
    }
}
