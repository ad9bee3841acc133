extension ObservableConvertibleType {
    /// The elements for a `for try await` loop.
    ///
    /// Reading this property subscribes, on the thread that reads it. All elements that the source sends while it is
    /// subscribed are buffered before the loop begins. Elements wait in an unbounded buffer until the loop takes them.
    ///
    /// The subscription is disposed of when the task is cancelled or the stream is released. A stream that is written
    /// in the head of the loop is released when the loop is left. A stream that you store stays subscribed after a
    /// `break` and keeps collecting elements for a later loop. `values(buffering:)` instead subscribes for each loop
    /// and ends with it.
    ///
    /// After a cancellation the loop receives the elements that already wait, then throws `CancellationError`, so that
    /// the code after the loop does not mistake a cancellation for the end.
    public var values: AsyncThrowingStream<Element, any Swift.Error> {
        AsyncThrowingStream { continuation in
            let tap = StreamTap(
                asObservable(),
                next: {
                    // The observable passes its elements between threads, Sendable or not, one at a time.
                    nonisolated(unsafe) let element = $0
                    continuation.yield(element)
                },
                fail: { continuation.finish(throwing: $0) },
                finish: { continuation.finish() },
                drop: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                tap.cancel()
                // Without an error here the stream would end normally. Called last, so that the teardown is complete
                // when the loop continues.
                continuation.finish(throwing: CancellationError())
            }
        }
    }
}

extension InfallibleType {
    /// The elements for a `for await` loop.
    ///
    /// Reading this property subscribes, on the thread that reads it. All elements that the source sends while it is
    /// subscribed are buffered before the loop begins. Elements wait in an unbounded buffer until the loop takes them.
    ///
    /// The subscription is disposed of when the task is cancelled or the stream is released. A stream that is written
    /// in the head of the loop is released when the loop is left. A stream that you store stays subscribed after a
    /// `break` and keeps collecting elements for a later loop. `values(buffering:)` instead subscribes for each loop
    /// and ends with it.
    ///
    /// After a cancellation the loop receives the elements that already wait, then ends. It cannot throw, so check
    /// `Task.isCancelled` if the difference matters.
    public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            let tap = StreamTap(
                asObservable(),
                next: {
                    // The observable passes its elements between threads, Sendable or not, one at a time.
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
