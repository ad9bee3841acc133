/// What a stream of `values` takes from an observable, until its reader cancels.
///
/// A stream tells that its reader cancels while the reader's task is locked, and to resume a reader takes that same
/// lock. So a disposal from there calls the user's teardowns under it; were one of them to wait for a lock that a
/// pushing thread holds, that thread must not wait for the reader's task in turn. Therefore the second to come gives
/// way: after a cancellation nothing is handed to the stream, and during a hand-over the cancellation leaves the
/// disposal to the thread that hands over.
///
/// The word: how many hand-overs are under way (they nest), and `cancelled` above that count. The thread that finds
/// only `cancelled` left disposes.
// @unchecked Sendable because its one mutable word is atomic, and the disposable guards itself.
final class StreamTap<Element>: @unchecked Sendable {
    private static var cancelled: Int { 1 << 32 }

    private let word = AtomicCount()
    private let subscription = SingleAssignmentDisposable()

    /// Subscribes to `source`.
    ///
    /// - Parameters:
    ///   - next: hands an element to the stream.
    ///   - fail: ends the stream with an error; nil leaves the error to ``Hooks/defaultErrorHandler``.
    ///   - finish: ends the stream.
    ///   - drop: ends the stream of a subscription that was disposed of, or whose error the hook has taken.
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
                // After the stream's end this does nothing.
                onDisposed: { self.handOver(drop) }))
    }

    /// The reader cancels, or is gone.
    func cancel() {
        if word.add(Self.cancelled) == 0 { subscription.dispose() }
    }

    private func handOver(_ body: () -> Void) {
        if word.add(1) < Self.cancelled { body() }
        if word.add(-1) == Self.cancelled + 1 { subscription.dispose() }
    }
}
