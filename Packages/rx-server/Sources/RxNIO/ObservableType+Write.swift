import NIOCore
import RxSwift

extension ObservableType {
    /// Writes the elements to a channel at the channel's pace. Completes when the last element has been written.
    ///
    /// ```swift
    /// rows.map(encode).write(to: channel)
    ///     .subscribe(onCompleted: { channel.close(promise: nil) }, onError: { _ in channel.close(promise: nil) })
    /// ```
    ///
    /// While the channel is not writable, elements wait. If the limit of `buffering` is reached, its policy applies; by
    /// default, the source is paused. The channel also buffers elements, up to its high water mark and one more. The
    /// writes of one turn of the loop are flushed together.
    ///
    /// - Ends: the source's completion or error is sent when all earlier elements have been written. So an observer may
    ///   close the channel at the end without loss. A failed write fails the completable at once. If the channel closes
    ///   while the source continues, the error is `ChannelError.ioOnClosedChannel`. If the loop has been shut down, the
    ///   error is `EventLoopError.shutdown`. An end does not close the channel. If the peer reads nothing, the end is
    ///   delayed until the connection closes.
    /// - Disposal: drops waiting elements. Elements already passed to the channel are written. The channel is not
    ///   closed.
    /// - Threads: any thread may subscribe and dispose. The calling thread subscribes to the source. After a pause, the
    ///   source resumes on the channel's loop, or on the scheduler of its `subscribe(on:)`. The end is sent on the
    ///   loop.
    /// - Several sequences may write to one channel concurrently; their elements are interleaved.
    ///
    /// - Parameters:
    ///   - channel: the channel whose pipeline receives the elements.
    ///   - buffering: how many elements may wait, and the policy for further ones. For a source that cannot pause, such
    ///     as a subject, choose a policy: `.failing(1_000)` disconnects a slow peer, `.newest(1)` skips outdated
    ///     elements.
    public func write(to channel: any Channel, buffering: Buffering = .pausing(32)) -> Completable {
        let source = asObservable()
        return Completable.create { observer in
            let writer = ChannelWriter<Element>(channel, observer)
            writer.start(source, buffering)
            return writer
        }
    }
}

/// Writes elements that a ``WriteGate`` has let pass.
///
/// Guards: `subscription` and `gate` are thread-safe. The other members are used on the loop, or by the thread that
/// finds the loop shut down.
private final class ChannelWriter<Element>: ChannelInboundHandler, RemovableChannelHandler, Disposable,
    @unchecked Sendable  // because of the guards
{
    typealias InboundIn = NIOAny

    private let channel: any Channel
    private let observer: Completable.CompletableObserver
    private let subscription = SingleAssignmentDisposable()
    private let gate: WriteGate
    private var context: ChannelHandlerContext?
    /// The number of pending writes.
    private var unanswered = 0
    private var isFlushDue = false
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

    /// Flushes first, because a handler may complete a write's promise before it forwards the write.
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

    /// Called when nothing can be written any more. If an element waits, its write fails and ends the completable.
    /// Otherwise the source has two turns of the loop to end. In the first turn, the source is notified of the close.
    /// In the second turn, the source's end passes `gate`.
    private func close() {
        if isClosed || isOver { return }
        isClosed = true
        gate.look()
        onLoop { $0.onLoop { $0.finish(.error(ChannelError.ioOnClosedChannel)) } }
    }
}
