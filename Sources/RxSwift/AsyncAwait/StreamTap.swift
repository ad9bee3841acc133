/// Passes the events of an observable to the stream of `values`, until the reading task is cancelled.
///
/// Swift holds the reading task's lock while a stream calls its termination handler. A disposal in that handler runs
/// the user's teardowns. Resuming the task takes the task's lock. So if a teardown waits for a lock that a sending
/// thread holds, and that thread resumes the task, both threads block forever. Therefore, no event is passed to the
/// stream after a cancellation. If a thread is passing an event during the cancellation, that thread disposes of the
/// subscription afterwards.
///
/// The lower half of `word` counts the events that are being passed to the stream; events may be nested. The upper half
/// is the flag `cancelled`. If a thread sets the flag or decrements the count, and the word then contains only
/// `cancelled`, that thread disposes of the subscription.
// @unchecked Sendable because its only mutable state is an atomic word, and the disposable is thread-safe.
final class StreamTap<Element>: @unchecked Sendable {
    private static var cancelled: Int { 1 << 32 }

    private let word = AtomicCount()
    #if RX_EXPLORE
        private let isForeign = Explored.isForeignCaller
    #endif
    private let subscription = SingleAssignmentDisposable()

    /// If `fail` is nil, an error is passed to ``Hooks/defaultErrorHandler``. `drop` ends the stream after a disposal,
    /// or after such an error.
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

    /// Called when the reading task has been cancelled or the stream has been released.
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
