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
        try await awaited { answer, disposer in
            TraitSink(
                { answer.give(.success($0)) }, { answer.give(.failure($0)) },
                { answer.give(.failure(RxError.noElements)) }, disposer)
        }
    }

    fileprivate func awaitMaybe() async throws -> sending Element? {
        try await awaited { answer, disposer in
            TraitSink(
                { answer.give(.success($0)) }, { answer.give(.failure($0)) }, { answer.give(.success(nil)) }, disposer)
        }
    }

    fileprivate func awaitEnd() async throws {
        try await awaited { answer, disposer in
            TraitSink(nil, { answer.give(.failure($0)) }, { answer.give(.success(())) }, disposer)
        }
    }

    /// Waits for the answer that the last sink gives.
    private func awaited<Value>(
        _ makeSink: (Answer<Value>, SinkDisposer) -> TraitSink<Element>
    ) async throws -> sending Value {
        let cancellation = SingleAssignmentDisposable()
        // The observable hands its element from thread to thread, Sendable or not.
        nonisolated(unsafe) let value: Value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (answer, disposer) = (Answer(continuation), SinkDisposer())
                let cutting = Disposables.create { answer.cancel(disposer) }
                // One that has come already does so behind the subscription: an event that comes at once counts, as in
                // RxSwift. One that comes from now on cuts off a source that sends within it.
                let isLate = !cancellation.isDisposed
                if isLate { cancellation.setDisposable(cutting) }
                subscribe(last: makeSink(answer, disposer), disposer)
                if !isLate { cancellation.setDisposable(cutting) }
            }
        } onCancel: {
            cancellation.dispose()
        }
        return value
    }
}

/// Resumes a waiting task once, with whatever comes first: the event or the cancellation. Nobody else can dispose: the
/// cancellation alone has the subscription.
///
/// It holds no lock, but the cancellation comes while the task is locked, and to resume a task takes that same lock. So
/// the user's teardowns may run under it; were one of them to wait for a lock that a pushing thread holds, that thread
/// must not wait for the task in turn. It does not: the first to come resumes, and only a cancellation that is first
/// disposes. One that comes second finds a chain that is ending.
private final class Answer<Value>: @unchecked Sendable {  // because its one mutable word is atomic
    // The first stored property: its address is the word's.
    private let given = crx_flag()
    private let continuation: CheckedContinuation<Value, any Swift.Error>

    init(_ continuation: CheckedContinuation<Value, any Swift.Error>) {
        self.continuation = continuation
    }

    func give(_ result: Result<Value, any Swift.Error>) {
        guard isFirst() else { return }
        // The observable hands its element from thread to thread, Sendable or not.
        nonisolated(unsafe) let result = result
        continuation.resume(with: result)
    }

    /// Disposes, and then resumes, so that all is torn down when the task goes on.
    func cancel(_ subscription: any Disposable) {
        guard isFirst() else { return }
        subscription.dispose()
        continuation.resume(throwing: CancellationError())
    }

    private func isFirst() -> Bool {
        crx_flag_fetch_add_acq_rel(FlagAndLock.flag(of: self), 1) == 0
    }
}
