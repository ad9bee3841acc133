extension ObservableConvertibleType {
    /// The elements for a `for try await` loop, with a limit on the elements that wait for the loop.
    ///
    ///     for try await row in rows.values(buffering: .pausing(64)) {
    ///         try await store(row)  // the source pauses while this takes long
    ///     }
    ///
    /// Each loop subscribes when it requests its first element. The end of the loop or the cancellation of its task
    /// disposes of the subscription. After a cancellation, the loop receives the waiting elements, then throws
    /// `CancellationError`. The terminal event, or ``FlowError/overflow(boundary:limit:source:)``, comes after the
    /// waiting elements.
    ///
    /// - Threads: a paused source resumes on a global queue, or on the scheduler of `subscribe(on:)`.
    /// - Parameter buffering: the maximum number of waiting elements, and the policy for further elements.
    public func values(buffering: Buffering) -> BoundedValues<Element> {
        BoundedValues(asObservable(), buffering.checked(by: "values"))
    }
}

/// The result of ``ObservableConvertibleType/values(buffering:)``.
public struct BoundedValues<Element>: AsyncSequence, Sendable {
    private let source: Observable<Element>
    private let buffering: Buffering

    init(_ source: Observable<Element>, _ buffering: Buffering) {
        self.source = source
        self.buffering = buffering
    }

    /// Returns an iterator, which subscribes when its first element is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source, buffering)
    }

    /// An iterator of the elements. Only one task at a time may use it.
    public struct Iterator: AsyncIteratorProtocol {
        private let loop: Loop

        init(_ source: Observable<Element>, _ buffering: Buffering) {
            loop = Loop(source, buffering)
        }

        /// The next element; nil at the end of the sequence.
        ///
        /// - Throws: the sequence's error; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Element? {
            try await loop.next(isolation: nil)
        }

        mutating func next(on isolation: isolated (any Actor)?) async throws -> Element? {
            try await loop.next(isolation: isolation)
        }

        /// The next element, and the elements that already wait behind it; nil at the end of the sequence. Waits only
        /// for the first element.
        ///
        ///     while let rows = try await iterator.next(upTo: 100) { try await store(rows) }
        ///
        /// - Parameter count: the maximum number of elements; a number below 1 traps.
        /// - Throws: the sequence's error; `CancellationError` if the task was cancelled.
        public mutating func next(upTo count: Int) async throws -> [Element]? {
            if count < 1 {
                rxFatalError("count must be at least 1", operator: "next", argument: "upTo", value: count)
            }
            guard let first = try await loop.next(isolation: nil) else { return nil }
            return [first] + loop.buffer.take(upTo: count - 1)
        }

        /// Subscribes before the first element is requested. Until then, arriving elements wait, up to the bound.
        ///
        /// - Returns: a disposable that ends the subscription like a cancellation of the task.
        @_spi(RxServer)
        public func subscribe() -> any Disposable {
            loop.subscribe()
            return Disposables.create { [buffer = loop.buffer] in buffer.cancel() }
        }

        /// A class, because `deinit` ends the subscription.
        private final class Loop {
            let source: Observable<Element>
            let buffer: ValuesBuffer<Element>
            var isSubscribed = false

            init(_ source: Observable<Element>, _ buffering: Buffering) {
                self.source = source
                buffer = ValuesBuffer(buffering)
            }

            deinit {
                buffer.cancel()
            }

            func next(isolation: isolated (any Actor)?) async throws -> Element? {
                try await buffer.next(isolation: isolation) { subscribe() }
            }

            func subscribe() {
                if isSubscribed { return }
                isSubscribed = true
                buffer.subscribe(to: source)
            }
        }
    }
}

/// The elements that wait for a loop over `values(buffering:)`.
///
/// Guards: the lock of `state` protects `state` and each change of the *full* bit of the chain above. The thread that
/// removes the continuation from `state` resumes it.
///
/// Swift holds the task's lock while a cancellation handler runs. A thread takes the same lock to resume the task. A
/// subscription may also take it, to set a task-local value. So the handler must not wait for a thread that resumes the
/// task or subscribes. `busy` counts these threads. If `busy` is not 0, the handler only halts the chain, and the last
/// of these threads disposes of it. A halt calls no user closure.
final class ValuesBuffer<Element>: @unchecked Sendable {  // see the guards above
    /// An element, or nil for the end. The program must use a non-`Sendable` element on one thread at a time.
    private struct Handed: @unchecked Sendable {
        let element: Element?
    }

    private typealias Reader = UnsafeContinuation<Handed, any Error>

    private struct State: ~Copyable {
        var waiting = Ring<Element>()
        var reader: Reader?
        var end: (any Error)??
        var isCancelled = false
        var busy = 0
    }

    private let bound: QueueBound
    private let state = Locked(State())
    private let lifetime = ChainLifetime()

    init(_ buffering: Buffering) {
        bound = QueueBound("values", buffering, filledBy: lifetime)
    }

    func subscribe(to source: Observable<Element>) {
        state.withLock { $0.busy += 1 }
        source.subscribe(
            last: ValuesSink(self, lifetime), lifetime,
            scope: bound.scope)
        isDone()
    }

    // MARK: The source

    func add(_ element: Element) {
        let (reader, addition) = state.withLock { state -> (Reader?, QueueBound.Addition<Element>?) in
            if state.isCancelled || state.end != nil { return (nil, nil) }
            if let reader = state.reader.take() {
                state.busy += 1
                return (reader, nil)
            }
            return (nil, bound.add(element, to: &state.waiting))
        }
        if let reader {
            reader.resume(returning: Handed(element: element))
            isDone()
        }
        if let addition, let error = bound.finish(addition) { end(error) }
    }

    func end(_ error: (any Error)?) {
        let reader = state.withLock { state -> Reader? in
            if state.isCancelled || state.end != nil { return nil }
            state.end = .some(error)
            guard let reader = state.reader.take() else { return nil }
            state.busy += 1
            return reader
        }
        guard let reader else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: Handed(element: nil)) }
        isDone()
    }

    private func isDone() {
        let disposes = state.withLock { state in
            state.busy -= 1
            return state.busy == 0 && state.isCancelled
        }
        if disposes { lifetime.dispose() }
    }

    // MARK: The reader

    /// - Parameters:
    ///   - isolation: the actor on which `subscribe` is called.
    ///   - subscribe: called while the cancellation handler is set, so that a cancellation stops a source that sends
    ///     during `subscribe`. If the task is already cancelled, `subscribe` is called before the handler is set,
    ///     because the handler would stop the source at once.
    func next(isolation: isolated (any Actor)?, _ subscribe: () -> Void) async throws -> Element? {
        if Task.isCancelled { subscribe() }
        return try await withTaskCancellationHandler {
            _ = isolation  // Swift runs the closure on this actor only if the closure captures it.
            subscribe()
            return try await withUnsafeThrowingContinuation { read($0) }.element
        } onCancel: {
            cancel()
        }
    }

    private func read(_ continuation: Reader) {
        var notifies = false
        let take: (() -> Void)? = state.withLock { state in
            if state.reader != nil { rxFatalError("Only one task at a time may read a loop over values(buffering:)") }
            if !state.waiting.isEmpty {
                let handed = Handed(element: state.waiting.removeFirst())
                bound.counters?.left()
                notifies = bound.settle(state.waiting.count)
                return { continuation.resume(returning: handed) }
            }
            if let end = state.end {
                return {
                    if let end {
                        continuation.resume(throwing: end)
                    } else {
                        continuation.resume(returning: Handed(element: nil))
                    }
                }
            }
            if state.isCancelled { return { continuation.resume(throwing: CancellationError()) } }
            state.reader = continuation
            return nil
        }
        if notifies { bound.notifySource() }
        take?()
    }

    func take(upTo count: Int) -> [Element] {
        let (taken, notifies) = state.withLock { state in
            var taken: [Element] = []
            while taken.count < count, !state.waiting.isEmpty { taken.append(state.waiting.removeFirst()) }
            bound.counters?.left(taken.count)
            return (taken, bound.settle(state.waiting.count))
        }
        if notifies { bound.notifySource() }
        return taken
    }

    func cancel() {
        let (reader, disposes) = state.withLock { state -> (Reader?, Bool) in
            if state.isCancelled { return (nil, false) }
            state.isCancelled = true
            return (state.reader.take(), state.busy == 0)
        }
        if disposes { lifetime.dispose() } else { lifetime.halt() }
        reader?.resume(throwing: CancellationError())
    }
}

private final class ValuesSink<Element>: TerminalObserver<Element> {
    let buffer: ValuesBuffer<Element>

    init(_ buffer: ValuesBuffer<Element>, _ lifetime: ChainLifetime) {
        self.buffer = buffer
        super.init(lifetime) { base, element in
            unsafeDowncast(base, to: ValuesSink<Element>.self).buffer.add(element)
        }
    }

    override func deliverEnd(_ error: (any Error)?) {
        buffer.end(error)
    }
}
