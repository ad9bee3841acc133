extension ObservableConvertibleType {
    /// The elements for a `for try await` loop.
    ///
    /// Reading this property subscribes, on the reading thread. Elements wait for the loop in an unbounded buffer.
    ///
    /// The subscription is disposed of when the task is cancelled or the stream is released. In `for await x in
    /// source.values`, the end of the loop releases the stream. A stored stream stays subscribed after a `break`, and
    /// collects elements for a later loop. `values(buffering:)` subscribes for each loop instead.
    ///
    /// After a cancellation the loop receives the waiting elements, then throws `CancellationError`.
    public var values: AsyncThrowingStream<Element, any Swift.Error> {
        AsyncThrowingStream { continuation in
            let tap = StreamTap(
                asObservable(),
                next: {
                    // The program must use a non-`Sendable` element on one thread at a time; the compiler cannot check
                    // this.
                    nonisolated(unsafe) let element = $0
                    continuation.yield(element)
                },
                fail: { continuation.finish(throwing: $0) },
                finish: { continuation.finish() },
                drop: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                tap.cancel()
                // The stream ends after the disposal, so that the teardown is complete when the loop continues.
                // Exception: if a thread is passing an event to the stream, that thread disposes of the subscription
                // later.
                continuation.finish(throwing: CancellationError())
            }
        }
    }
}

extension InfallibleType {
    /// The elements for a `for await` loop.
    ///
    /// Like `values` of an observable, except that the loop cannot throw. After a cancellation the loop receives the
    /// waiting elements, then ends: check `Task.isCancelled` if necessary.
    public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            let tap = StreamTap(
                asObservable(),
                next: {
                    // The program must use a non-`Sendable` element on one thread at a time.
                    nonisolated(unsafe) let element = $0
                    continuation.yield(element)
                },
                fail: nil,
                finish: { continuation.finish() },
                drop: { continuation.finish() })
            continuation.onTermination = { reason in
                if case .cancelled = reason { tap.cancel() }
            }
        }
    }
}
