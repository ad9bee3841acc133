internal import CRxCore

// Each `value` stays with its caller's actor, so that an element that is not Sendable may be taken there; compilers
// before 6.2 cannot say so. What it awaits is on no actor.

extension PrimitiveSequenceType where Trait == SingleTrait {
    #if compiler(>=6.2)
        /// The element, awaited.
        ///
        /// Subscribes when it is read, off the caller's actor. When the task is cancelled the subscription is disposed,
        /// and `CancellationError` is thrown. An event that comes before `subscribe` returns counts even in a task that
        /// was cancelled before.
        nonisolated(nonsending)
            public var value: Element
        {
            get async throws { try await source.awaitSingle() }
        }
    #else
        /// The element, awaited.
        public var value: Element {
            get async throws { try await source.awaitSingle() }
        }
    #endif
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    #if compiler(>=6.2)
        /// The element, or nil where there is none, awaited.
        ///
        /// Subscribes when it is read, off the caller's actor. When the task is cancelled the subscription is disposed,
        /// and `CancellationError` is thrown. An event that comes before `subscribe` returns counts even in a task that
        /// was cancelled before.
        nonisolated(nonsending)
            public var value: Element?
        {
            get async throws { try await source.awaitMaybe() }
        }
    #else
        /// The element, or nil where there is none, awaited.
        public var value: Element? {
            get async throws { try await source.awaitMaybe() }
        }
    #endif
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The end, awaited.
    ///
    /// Subscribes when it is read, off the caller's actor. When the task is cancelled the subscription is disposed, and
    /// `CancellationError` is thrown. An event that comes before `subscribe` returns counts even in a task that was
    /// cancelled before.
    public var value: Void {
        get async throws { try await source.awaitEnd() }
    }
}

extension Observable {
    fileprivate func awaitSingle() async throws -> sending Element {
        try await awaited({ $0 }) { .failure(RxError.noElements) }
    }

    fileprivate func awaitMaybe() async throws -> sending Element? {
        try await awaited({ $0 }) { .success(nil) }
    }

    fileprivate func awaitEnd() async throws {
        try await awaited({ _ in }) { .success(()) }
    }

    /// Waits for the first event, or for a cancellation.
    ///
    /// - Parameters:
    ///   - value: what an element comes to.
    ///   - completed: what an end without an element comes to.
    private func awaited<Value>(
        _ value: @escaping (Element) -> Value, _ completed: @escaping () -> Result<Value, any Swift.Error>
    ) async throws -> sending Value {
        let cancellation = SingleAssignmentDisposable()
        // Until no handler runs: it would let go of the chain last, while Swift has the task locked.
        var kept: Answer<Value>?
        defer { withExtendedLifetime(kept) {} }
        // The observable hands its element from thread to thread, Sendable or not.
        nonisolated(unsafe) let result: Value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = Answer(continuation)
                kept = answer
                let cutting = Disposables.create { answer.cancel() }
                // One that has come already does so behind the subscription: an event that comes at once counts, as in
                // RxSwift. One that comes from now on cuts off a source that sends within it.
                let isLate = !cancellation.isDisposed
                if isLate { cancellation.setDisposable(cutting) }
                let sink = TraitSink<Element>(
                    { answer.give(.success(value($0))) }, { answer.give(.failure($0)) }, { answer.give(completed()) },
                    answer.disposer)
                subscribe(last: sink, answer.disposer)
                answer.hasSubscribed()
                if !isLate { cancellation.setDisposable(cutting) }
            }
        } onCancel: {
            cancellation.dispose()
        }
        return result
    }
}

/// What has become of an ``Answer``.
private enum Bit {
    static let given: UInt = 1
    static let cancelled: UInt = 2
    static let subscribed: UInt = 4
}

/// Resumes a waiting task once, with whatever comes first: the event or the cancellation. Nobody else can dispose: the
/// cancellation alone has the subscription.
///
/// A cancellation comes while the task is locked. To resume the task takes that same lock, and so does a task-local
/// value that is set within the task. So the user's teardowns may run under it; were one of them to wait for a lock of
/// the user's, whoever holds that must not wait for the task in turn. Two threads could:
/// - One that pushes does not: the first to come resumes, and only a cancellation that is first disposes. One that
///   comes second finds a chain that is ending.
/// - The one that subscribes runs the user's code within the task. Until it is back, a cancellation only halts the
///   chain, which calls no closure of the user's; that thread then disposes.
///
/// - `word`: atomic; of `given` and `cancelled` only the first is set.
private final class Answer<Value>: @unchecked Sendable {  // because its one mutable word is atomic
    // The first stored property: its address is the word's.
    private let word = crx_flag()
    private let continuation: CheckedContinuation<Value, any Swift.Error>
    let disposer = SinkDisposer()

    init(_ continuation: CheckedContinuation<Value, any Swift.Error>) {
        self.continuation = continuation
    }

    func give(_ result: Result<Value, any Swift.Error>) {
        guard setFirst(Bit.given) != nil else { return }
        // The observable hands its element from thread to thread, Sendable or not.
        nonisolated(unsafe) let result = result
        continuation.resume(with: result)
    }

    func cancel() {
        guard let old = setFirst(Bit.cancelled) else { return }
        if old & Bit.subscribed != 0 { tearDown() } else { disposer.halt() }
    }

    /// `subscribe` has returned.
    func hasSubscribed() {
        let old = crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), Bit.subscribed)
        if old & Bit.cancelled != 0 { tearDown() }
    }

    /// Disposes, and then resumes, so that all is torn down when the task goes on.
    private func tearDown() {
        disposer.dispose()
        continuation.resume(throwing: CancellationError())
    }

    /// Sets a bit, unless something has come before; then it is nil.
    private func setFirst(_ bit: UInt) -> UInt? {
        let flag = FlagAndLock.flag(of: self)
        var old = crx_flag_load_acquire(flag)
        while old & (Bit.given | Bit.cancelled) == 0 {
            let seen = crx_flag_compare_and_swap_acq_rel(flag, old, old | bit)
            if seen == old { return old }
            old = seen
        }
        return nil
    }
}
