extension ObservableConvertibleType {
    /// The elements for a `for try await` loop.
    ///
    /// Reading this property subscribes; elements wait in an unbounded buffer until the loop takes them. The subscription is disposed when the
    /// loop is left, the task cancelled or the stream dropped.
    public var values: AsyncThrowingStream<Element, any Swift.Error> {
        AsyncThrowingStream { continuation in
            // Guarded: dispose() may be called from any thread.
            nonisolated(unsafe) let subscription = asObservable().subscribe(
                onNext: {
                    // The observable hands its elements from thread to thread, Sendable or not, one at a time.
                    nonisolated(unsafe) let element = $0
                    continuation.yield(element)
                },
                onError: { continuation.finish(throwing: $0) },
                onCompleted: { continuation.finish() },
                // After a disposal from elsewhere the loop ends; after the terminal event this does nothing.
                onDisposed: { continuation.finish() }
            )
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}

extension InfallibleType {
    /// The elements for a `for await` loop.
    ///
    /// Reading this property subscribes; elements wait in an unbounded buffer until the loop takes them. The subscription is disposed when the
    /// loop is left, the task cancelled or the stream dropped.
    public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            // Guarded: dispose() may be called from any thread.
            nonisolated(unsafe) let subscription = asObservable().subscribe(
                onNext: {
                    // The observable hands its elements from thread to thread, Sendable or not, one at a time.
                    nonisolated(unsafe) let element = $0
                    continuation.yield(element)
                },
                onCompleted: { continuation.finish() },
                onDisposed: { continuation.finish() }
            )
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}
