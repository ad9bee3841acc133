extension ObservableConvertibleType {
    /// The elements for a `for try await` loop.
    ///
    /// Reading this property subscribes, on the thread that reads it: what a source sends from within the subscription
    /// has all come before the loop begins. Elements wait in an unbounded buffer until the loop takes them. The
    /// subscription is disposed when the task is cancelled or the stream dropped: written in the head of the loop, it
    /// is dropped when that is left. A stream that you keep stays subscribed after a `break`, and gathers what comes,
    /// for another loop may take it; `values(buffering:)` subscribes for each loop, and ends with it.
    /// After a cancellation the loop gets what waits already, and then throws `CancellationError`, so that no code
    /// after it takes what was cancelled for what has ended.
    public var values: AsyncThrowingStream<Element, any Swift.Error> {
        values(bufferingPolicy: .unbounded)
    }

    /// The elements for a `for try await` loop, of which not all may wait until the loop takes them.
    ///
    /// As ``values``, but for the buffer. An element that finds no place is dropped; the end never is, nor an error.
    ///
    ///     for try await position in positions.values(bufferingPolicy: .newest(1)) {
    ///         await draw(position)  // what came meanwhile is skipped, but for the last
    ///     }
    ///
    /// - Parameter bufferingPolicy: which elements wait, and how many.
    public func values(bufferingPolicy: ValuesBufferingPolicy) -> AsyncThrowingStream<Element, any Swift.Error> {
        AsyncThrowingStream(bufferingPolicy: bufferingPolicy.forThrowingStream(of: Element.self)) { continuation in
            let tap = StreamTap(
                asObservable(),
                next: {
                    // The observable hands its elements from thread to thread, Sendable or not, one at a time.
                    nonisolated(unsafe) let element = $0
                    continuation.yield(element)
                },
                fail: { continuation.finish(throwing: $0) },
                finish: { continuation.finish() },
                drop: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                tap.cancel()
                // The stream has not ended yet, and would without an error. Last, so that all is torn down when the
                // loop goes on.
                continuation.finish(throwing: CancellationError())
            }
        }
    }
}

extension InfallibleType {
    /// The elements for a `for await` loop.
    ///
    /// Reading this property subscribes, on the thread that reads it: what a source sends from within the subscription
    /// has all come before the loop begins. Elements wait in an unbounded buffer until the loop takes them. The
    /// subscription is disposed when the task is cancelled or the stream dropped: written in the head of the loop, it
    /// is dropped when that is left. A stream that you keep stays subscribed after a `break`, and gathers what comes,
    /// for another loop may take it; `values(buffering:)` subscribes for each loop, and ends with it.
    /// After a cancellation the loop gets what waits already, and then ends: it cannot throw, so ask
    /// `Task.isCancelled` where the difference matters.
    public var values: AsyncStream<Element> {
        values(bufferingPolicy: .unbounded)
    }

    /// The elements for a `for await` loop, of which not all may wait until the loop takes them.
    ///
    /// As ``values``, but for the buffer. An element that finds no place is dropped; the end never is. Were the
    /// sequence to fail in spite of its promise, ``Hooks/defaultErrorHandler`` would take the error, and the loop end.
    ///
    /// - Parameter bufferingPolicy: which elements wait, and how many.
    public func values(bufferingPolicy: ValuesBufferingPolicy) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: bufferingPolicy.forStream(of: Element.self)) { continuation in
            let tap = StreamTap(
                asObservable(),
                next: {
                    // The observable hands its elements from thread to thread, Sendable or not, one at a time.
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
