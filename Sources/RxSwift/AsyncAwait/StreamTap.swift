/// Passes the events of an observable to a stream of `values`, until the stream's reader cancels.
///
/// A stream calls its termination handler while Swift holds the lock of the reader's task, and resuming the reader
/// takes the same lock. So a disposal in that handler runs the user's teardowns under that lock. If a teardown waits
/// for a lock that a pushing thread holds, and that thread resumes the reader, both block for ever. So after a
/// cancellation no event is passed to the stream. If a thread is passing an event during the cancellation, that thread
/// disposes.
///
/// The word: the number of events that are being passed (they nest), and the flag `cancelled` above that count. A
/// thread that leaves only `cancelled` in the word disposes.
// @unchecked Sendable because its one mutable word is atomic, and the disposable is thread-safe.
final class StreamTap<Element>: @unchecked Sendable {
    private static var cancelled: Int { 1 << 32 }

    private let word = AtomicCount()
    #if RX_EXPLORE
        private let isForeign = Explored.isForeignCaller
    #endif
    private let subscription = SingleAssignmentDisposable()

    /// - Parameters:
    ///   - next: passes an element to the stream.
    ///   - fail: ends the stream with an error; nil leaves the error to ``Hooks/defaultErrorHandler``.
    ///   - finish: ends the stream.
    ///   - drop: ends the stream if the subscription was disposed of or the hook has taken its error.
    init(
        _ source: Observable<Element>, next: @escaping @Sendable (Element) -> Void,
        fail: (@Sendable (any Error) -> Void)?,
        finish: @escaping @Sendable () -> Void,
        drop: @escaping @Sendable () -> Void
    ) {
        subscription.setDisposable(
            source.subscribe(
                onNext: { element in self.handOver { next(element) } },
                onError: fail.map { fail in { @Sendable error in self.handOver { fail(error) } } },
                onCompleted: { self.handOver(finish) },
                onDisposed: { self.handOver(drop) }))
    }

    /// Called when the reader was cancelled or freed.
    func cancel() {
        if word.add(Self.cancelled) == 0 { subscription.dispose() }
    }

    private func handOver(_ body: () -> Void) {
        #if RX_EXPLORE
            Explored.refuseStream(isForeign: isForeign)
        #endif
        if word.add(1) < Self.cancelled { body() }
        if word.add(-1) == Self.cancelled + 1 { subscription.dispose() }
    }
}
