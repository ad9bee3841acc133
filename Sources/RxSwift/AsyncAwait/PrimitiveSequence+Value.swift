internal import CRxCore

// Each `value` stays on its caller's actor, so that an element that is not Sendable may be used there. Compilers before
// 6.2 cannot express that.

extension PrimitiveSequenceType where Trait == SingleTrait {
    #if compiler(>=6.2)
        /// The element.
        ///
        /// Reading it subscribes, off the caller's actor, and waits for the element. When the task is cancelled, the
        /// subscription is disposed of and `CancellationError` is thrown. An event that is sent before `subscribe`
        /// returns is delivered even if the task was already cancelled.
        nonisolated(nonsending)
            public var value: Element
        {
            get async throws { try await source.awaitSingle() }
        }
    #else
        /// The element; reading it subscribes and waits.
        public var value: Element {
            get async throws { try await source.awaitSingle() }
        }
    #endif
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    #if compiler(>=6.2)
        /// The element, or nil if the sequence is empty.
        ///
        /// Reading it subscribes, off the caller's actor, and waits for the event. When the task is cancelled, the
        /// subscription is disposed of and `CancellationError` is thrown. An event that is sent before `subscribe`
        /// returns is delivered even if the task was already cancelled.
        nonisolated(nonsending)
            public var value: Element?
        {
            get async throws { try await source.awaitMaybe() }
        }
    #else
        /// The element, or nil if the sequence is empty; reading it subscribes and waits.
        public var value: Element? {
            get async throws { try await source.awaitMaybe() }
        }
    #endif
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The completion.
    ///
    /// Reading it subscribes, off the caller's actor, and waits for the end. When the task is cancelled, the
    /// subscription is disposed of and `CancellationError` is thrown. An event that is sent before `subscribe` returns
    /// is delivered even if the task was already cancelled.
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

    /// - Parameters:
    ///   - value: turns an element into the result.
    ///   - completed: the result for a completion without an element.
    private func awaited<Value>(
        _ value: @escaping (Element) -> Value, _ completed: @escaping () -> Result<Value, any Swift.Error>
    ) async throws -> sending Value {
        let cancellation = SingleAssignmentDisposable()
        // `kept` is retained until the cancellation handler cannot run any more. Otherwise the handler could hold the
        // last reference and free the chain while Swift holds the task's lock.
        var kept: Answer<Value>?
        defer { withExtendedLifetime(kept) {} }
        // The element is passed between threads, Sendable or not.
        nonisolated(unsafe) let result: Value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = Answer(continuation)
                kept = answer
                let cutting = Disposables.create { answer.cancel() }
                // If the task is already cancelled, the disposable is set after the subscription: an event sent at once
                // is delivered, as in RxSwift. A later cancellation stops a source that sends while it is subscribed.
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

/// The bits of an ``Answer``'s word.
private enum Bit {
    static let given: UInt = 1
    static let cancelled: UInt = 2
    static let subscribed: UInt = 4
}

/// Resumes a waiting task once, with the event or the cancellation. Of the two, only the cancellation can dispose of
/// the subscription.
///
/// A cancellation handler, and so a user's teardown, runs while Swift holds the task's lock. Resuming the task takes
/// that lock, and so does setting a task-local value in it. If the teardown waits for a lock of the user, the thread
/// that holds that lock must not wait for the task's lock, or both block for ever. Two threads could hold it:
/// - A pushing thread. It resumes the task only if its event comes before the cancellation. The cancellation then
///   disposes of nothing, because the chain is already ending.
/// - The subscribing thread, which runs the user's code within the task. Until `subscribe` has returned, a cancellation
///   only halts the chain, which calls no user closure. The subscribing thread disposes afterwards.
///
/// - `word`: atomic; at most one of `given` and `cancelled` is ever set.
private final class Answer<Value>: @unchecked Sendable {  // its only mutable state is an atomic word
    // The first stored property: its address is the word's.
    private let word = crx_flag()
    private let continuation: CheckedContinuation<Value, any Swift.Error>
    let lifetime = ChainLifetime()

    init(_ continuation: CheckedContinuation<Value, any Swift.Error>) {
        self.continuation = continuation
    }

    func give(_ result: Result<Value, any Swift.Error>) {
        guard setFirst(Bit.given) != nil else { return }
        // The element is passed between threads, Sendable or not.
        nonisolated(unsafe) let result = result
        continuation.resume(with: result)
    }

    func cancel() {
        guard let old = setFirst(Bit.cancelled) else { return }
        if old & Bit.subscribed != 0 { tearDown() } else { lifetime.halt() }
    }

    /// Disposes if the task was cancelled before `subscribe` has returned.
    func hasSubscribed() {
        let old = crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), Bit.subscribed)
        if old & Bit.cancelled != 0 { tearDown() }
    }

    /// Disposes, then resumes, so that the teardown is complete when the task continues.
    private func tearDown() {
        lifetime.dispose()
        continuation.resume(throwing: CancellationError())
    }

    /// Sets `given` or `cancelled` and returns the old word; nil if either bit is already set.
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
