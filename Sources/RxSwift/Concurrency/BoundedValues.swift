internal import CRxCore

extension ObservableConvertibleType {
    /// The elements for a `for try await` loop, of which at most so many wait until the loop takes them.
    ///
    ///     for try await row in rows.values(buffering: .pausing(64)) {
    ///         try await store(row)  // the source pauses while this takes long
    ///     }
    ///
    /// Each loop over it subscribes anew, when it asks for its first element. The subscription is disposed of when the
    /// loop is left or its task cancelled. After a cancellation the loop gets what waits already, and then throws
    /// `CancellationError`. The end comes behind what waits, and so does
    /// ``FlowError/overflow(boundary:limit:source:)``.
    ///
    /// - Threads: a source that was paused goes on at a global queue, or where `subscribe(on:)` says.
    /// - Parameter buffering: how many elements may wait, and what becomes of more.
    public func values(buffering: Buffering) -> BoundedValues<Element> {
        BoundedValues(asObservable(), buffering.checked(by: "values"))
    }
}

/// The elements of an observable for a `for try await` loop, with a bound on those that wait:
/// ``ObservableConvertibleType/values(buffering:)``.
public struct BoundedValues<Element>: AsyncSequence, Sendable {
    private let source: Observable<Element>
    private let buffering: Buffering

    init(_ source: Observable<Element>, _ buffering: Buffering) {
        self.source = source
        self.buffering = buffering
    }

    /// Subscribes when it is asked for the first element.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source, buffering)
    }

    /// Takes elements, one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let loop: Loop

        init(_ source: Observable<Element>, _ buffering: Buffering) {
            loop = Loop(source, buffering)
        }

        /// The next element; nil at the end of the sequence.
        ///
        /// - Throws: the sequence's error; `CancellationError` where the task was cancelled.
        public mutating func next() async throws -> Element? {
            try await loop.next()
        }

        /// The next element and those that wait behind it, for who works on several at once; nil at the end of the
        /// sequence.
        ///
        ///     while let rows = try await iterator.next(upTo: 100) { try await store(rows) }
        ///
        /// - Parameter count: at most so many; less than 1 stops the process. It waits for the first one alone.
        /// - Throws: the sequence's error; `CancellationError` where the task was cancelled.
        public mutating func next(upTo count: Int) async throws -> [Element]? {
            if count < 1 {
                rxFatalError("count must be at least 1", operator: "next", argument: "upTo", value: count)
            }
            guard let first = try await loop.next() else { return nil }
            return [first] + loop.buffer.take(upTo: count - 1)
        }

        /// Subscribes at once, for who has something to wait for before it takes the first element: what comes
        /// meanwhile waits, within the bound. To be called before anything is taken.
        ///
        /// - Returns: what ends the subscription, from any thread, as a cancellation of the task does.
        @_spi(RxServer)
        public func subscribe() -> any Disposable {
            loop.subscribe()
            return Disposables.create { [buffer = loop.buffer] in buffer.cancel() }
        }

        /// Ends the subscription with the iterator.
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

            func next() async throws -> Element? {
                try await buffer.next { subscribe() }
            }

            /// Subscribes, unless that has been done.
            func subscribe() {
                if isSubscribed { return }
                isSubscribed = true
                buffer.subscribe(to: source)
            }
        }
    }
}

/// What waits for a loop over `values(buffering:)`.
///
/// Guards: `state` is under its lock, and so is each change of the upper chain's `CRX_CHAIN_FULL`. Who takes the
/// continuation out resumes it. A task that cancels is locked meanwhile; to resume it takes that lock, and so does a
/// task-local value that is set within it. So nothing is disposed of in its handler while a thread hands something
/// over, or subscribes: that one does it then, and the handler only halts the chain, which calls no closure of the
/// user's.
final class ValuesBuffer<Element>: @unchecked Sendable {  // because of the guard
    /// An element on its way to the loop, or none for the end: from thread to thread, Sendable or not, one at a time.
    private struct Handed: @unchecked Sendable {
        let element: Element?
    }

    private typealias Reader = UnsafeContinuation<Handed, any Error>

    private struct State: ~Copyable {
        var waiting = Ring<Element>()
        var reader: Reader?
        var end: (any Error)??
        var dropped = 0
        /// The reader has gone.
        var isCancelled = false
        /// How many threads hand something over, or subscribe.
        var busy = 0
    }

    private let buffering: Buffering
    private let counters: BoundaryCounters?
    private let state = Locked(State())
    private let disposer = SinkDisposer()

    init(_ buffering: Buffering) {
        self.buffering = buffering
        counters = buffering == .unbounded ? nil : .register("values", bound: buffering.bound)
    }

    func subscribe(to source: Observable<Element>) {
        state.withLock { $0.busy += 1 }
        source.subscribe(
            last: ValuesSink(self, disposer), disposer,
            scope: buffering.pauses ? FlowScope(nil, home: .global) : nil)
        isDone()
    }

    // MARK: The source

    func add(_ element: Element) {
        var agenda = FlowAgenda(turnOf: nil)
        var (dropped, count, overflows): (Element?, Int, Bool) = (nil, 0, false)
        let reader = state.withLock { state -> Reader? in
            if state.isCancelled || state.end != nil { return nil }
            if let reader = state.reader.take() {
                state.busy += 1
                return reader
            }
            if state.waiting.count >= buffering.bound {
                switch buffering {
                case .pausing where disposer.maySend(above: buffering.bound, waiting: state.waiting.count): break
                case .oldest:
                    state.dropped += 1
                    (dropped, count) = (element, state.dropped)
                    return nil
                case .newest:
                    state.dropped += 1
                    (dropped, count) = (state.waiting.removeFirst(), state.dropped)
                    counters?.left()
                default:
                    overflows = true
                    return nil
                }
            }
            state.waiting.append(element)
            counters?.entered()
            if case .pausing(let bound) = buffering, state.waiting.count == bound {
                if crx_state_load_relaxed(disposer.chain) & CRX_CHAIN_FULL == 0 { counters?.paused() }
                agenda.change(disposer, set: CRX_CHAIN_FULL)
            }
            return nil
        }
        if let reader {
            reader.resume(returning: Handed(element: element))
            isDone()
        }
        agenda.tellAll()
        if count > 0 {
            counters?.dropped()
            Hooks.droppedElementHandler?("values", buffering, count)
        }
        withExtendedLifetime(dropped) {}
        if overflows, let error = disposer.disposeOverflowing("values", limit: buffering.bound, counters) {
            end(error)
        }
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

    /// The calling thread has handed something over, or has subscribed.
    private func isDone() {
        let disposes = state.withLock { state in
            state.busy -= 1
            return state.busy == 0 && state.isCancelled
        }
        if disposes { disposer.dispose() }
    }

    // MARK: The reader

    /// The next one.
    ///
    /// - Parameter subscribe: called first, under the handler: a cancellation cuts off a source that sends within it.
    ///   In a task that is cancelled already it is called before: what comes at once waits, and is taken.
    func next(_ subscribe: () -> Void) async throws -> Element? {
        if Task.isCancelled { subscribe() }
        return try await withTaskCancellationHandler {
            subscribe()
            return try await withUnsafeThrowingContinuation { read($0) }.element
        } onCancel: {
            cancel()
        }
    }

    private func read(_ continuation: Reader) {
        var agenda = FlowAgenda(turnOf: nil)
        let take: (() -> Void)? = state.withLock { state in
            if state.reader != nil { rxFatalError("A loop over values(buffering:) is read by one task at a time") }
            if !state.waiting.isEmpty {
                let handed = Handed(element: state.waiting.removeFirst())
                counters?.left()
                if case .pausing(let bound) = buffering, state.waiting.count == bound / 4,
                    crx_state_load_relaxed(disposer.chain) & CRX_CHAIN_FULL != 0
                {
                    agenda.change(disposer, clear: CRX_CHAIN_FULL)
                }
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
        agenda.tellAll()
        take?()
    }

    /// Takes what waits, without waiting for it.
    func take(upTo count: Int) -> [Element] {
        var agenda = FlowAgenda(turnOf: nil)
        let taken = state.withLock { state in
            var taken: [Element] = []
            while taken.count < count, !state.waiting.isEmpty { taken.append(state.waiting.removeFirst()) }
            counters?.left(taken.count)
            if case .pausing(let bound) = buffering, !taken.isEmpty, state.waiting.count <= bound / 4,
                crx_state_load_relaxed(disposer.chain) & CRX_CHAIN_FULL != 0
            {
                agenda.change(disposer, clear: CRX_CHAIN_FULL)
            }
            return taken
        }
        agenda.tellAll()
        return taken
    }

    /// The reader's task is cancelled, or the reader is gone.
    func cancel() {
        let (reader, disposes) = state.withLock { state -> (Reader?, Bool) in
            if state.isCancelled { return (nil, false) }
            state.isCancelled = true
            return (state.reader.take(), state.busy == 0)
        }
        if disposes { disposer.dispose() } else { disposer.halt() }
        reader?.resume(throwing: CancellationError())
    }
}

/// The last sink above a loop over `values(buffering:)`.
private final class ValuesSink<Element>: LastSink<Element> {
    let buffer: ValuesBuffer<Element>

    init(_ buffer: ValuesBuffer<Element>, _ disposer: SinkDisposer) {
        self.buffer = buffer
        super.init(disposer) { base, element in
            unsafeDowncast(base, to: ValuesSink<Element>.self).buffer.add(element)
        }
    }

    override func deliverEnd(_ error: (any Error)?) {
        buffer.end(error)
    }
}
