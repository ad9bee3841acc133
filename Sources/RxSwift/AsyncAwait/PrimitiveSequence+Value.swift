internal import CRxCore

// The getters of `value` return on the caller's actor, so that the actor may use a non-`Sendable` element. Compilers
// before 6.2 cannot express this.

extension PrimitiveSequenceType where Trait == SingleTrait {
    #if compiler(>=6.2)
        /// The element.
        ///
        /// Reading this property subscribes, outside the caller's actor, and waits. If the task is cancelled, the
        /// subscription is disposed of and `CancellationError` is thrown. An event that is sent within `subscribe` is
        /// delivered even if the task was already cancelled.
        nonisolated(nonsending)
            public var value: Element
        {
            get async throws { try await source.awaitSingle() }
        }
    #else
        /// The element. Reading this property subscribes and waits.
        public var value: Element {
            get async throws { try await source.awaitSingle() }
        }
    #endif
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    #if compiler(>=6.2)
        /// The element, or nil if the sequence is empty.
        ///
        /// Reading this property subscribes, outside the caller's actor, and waits. Cancellation is as for `value` of a
        /// single.
        nonisolated(nonsending)
            public var value: Element?
        {
            get async throws { try await source.awaitMaybe() }
        }
    #else
        /// The element, or nil if the sequence is empty. Reading this property subscribes and waits.
        public var value: Element? {
            get async throws { try await source.awaitMaybe() }
        }
    #endif
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The completion, as an empty value.
    ///
    /// Reading this property subscribes, outside the caller's actor, and waits. Cancellation is as for `value` of a
    /// single.
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

    private func awaited<Value>(
        _ value: @escaping (Element) -> Value, _ completed: @escaping () -> Result<Value, any Swift.Error>
    ) async throws -> sending Value {
        let cancellation = SingleAssignmentDisposable()
        // `kept` retains the answer until the cancellation handler can no longer run. Otherwise, the handler might
        // release the last reference and free the chain, while Swift holds the task's lock.
        var kept: Answer<Value>?
        defer { withExtendedLifetime(kept) {} }
        // The program must use a non-`Sendable` element on one thread at a time; the compiler cannot check this.
        nonisolated(unsafe) let result: Value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = Answer(continuation)
                kept = answer
                let cutting = Disposables.create { answer.cancel() }
                // `cutting` is set before the subscription, so that a cancellation stops a source that sends during
                // `subscribe`. If the task is already cancelled, `cutting` is set afterwards: events sent during
                // `subscribe` are delivered, as in the original RxSwift.
                let isLate = !cancellation.isDisposed
                if isLate { cancellation.setDisposable(cutting) }
                let sink = TraitSink<Element>(
                    { answer.give(.success(value($0))) }, { answer.give(.failure($0)) }, { answer.give(completed()) },
                    answer.lifetime)
                subscribe(last: sink, answer.lifetime)
                answer.hasSubscribed()
                if !isLate { cancellation.setDisposable(cutting) }
            }
        } onCancel: {
            cancellation.dispose()
        }
        return result
    }
}

private enum Bit {
    static let given: UInt = 1
    static let cancelled: UInt = 2
    static let subscribed: UInt = 4
}

/// Resumes a waiting task once, with the event or with `CancellationError`. A cancellation also disposes of the
/// subscription.
///
/// Swift holds the task's lock while a cancellation handler runs. Resuming the task, or setting a task-local value in
/// it, acquires the same lock. If a teardown in the handler waits for a lock of the user, and the thread that holds
/// that lock waits for the task's lock, both block forever. Two rules prevent this:
/// - A thread that sends an event resumes the task only if the event comes before the cancellation. In that case,
///   `cancel()` has no effect.
/// - The subscribing thread runs the user's code within the task. Until `subscribe` has returned, `cancel()` only halts
///   the chain. A halt calls no user closure. After the return, the subscribing thread disposes of the chain.
///
/// Guard:
/// - `word`: atomic; at most one of `given` and `cancelled` is ever set.
private final class Answer<Value>: @unchecked Sendable {  // its only mutable state is an atomic word
    // The first stored property, because `FlagAndLock.flag(of: self)` returns its address.
    private let word = crx_flag()
    private let continuation: CheckedContinuation<Value, any Swift.Error>
    let lifetime = ChainLifetime()

    init(_ continuation: CheckedContinuation<Value, any Swift.Error>) {
        self.continuation = continuation
    }

    func give(_ result: Result<Value, any Swift.Error>) {
        guard setFirst(Bit.given) != nil else { return }
        // The program must use a non-`Sendable` element on one thread at a time.
        nonisolated(unsafe) let result = result
        continuation.resume(with: result)
    }

    func cancel() {
        guard let old = setFirst(Bit.cancelled) else { return }
        if old & Bit.subscribed != 0 { tearDown() } else { lifetime.halt() }
    }

    func hasSubscribed() {
        let old = crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), Bit.subscribed)
        if old & Bit.cancelled != 0 { tearDown() }
    }

    /// Disposes first, so that the teardown is complete when the task continues.
    private func tearDown() {
        lifetime.dispose()
        continuation.resume(throwing: CancellationError())
    }

    /// Sets `bit` and returns the old word; nil if `given` or `cancelled` is already set.
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
