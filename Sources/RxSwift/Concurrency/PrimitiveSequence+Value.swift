internal import CRxCore

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The element, awaited.
    ///
    /// Subscribes when it is read. When the task is cancelled the subscription is disposed, and `CancellationError` is thrown.
    public var value: Element {
        get async throws {
            try await source.awaited { source, answer in
                source.subscribe(
                    onSuccess: { answer.give(.success($0)) }, onFailure: { answer.give(.failure($0)) },
                    onCompleted: { answer.give(.failure(RxError.noElements)) },
                    onDisposed: { answer.give(.failure(CancellationError())) })
            }
        }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// The element, or nil where there is none, awaited.
    ///
    /// Subscribes when it is read. When the task is cancelled the subscription is disposed, and `CancellationError` is thrown.
    public var value: Element? {
        get async throws {
            try await source.awaited { source, answer in
                source.subscribe(
                    onSuccess: { answer.give(.success($0)) }, onFailure: { answer.give(.failure($0)) },
                    onCompleted: { answer.give(.success(nil)) },
                    onDisposed: { answer.give(.failure(CancellationError())) })
            }
        }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The end, awaited.
    ///
    /// Subscribes when it is read. When the task is cancelled the subscription is disposed, and `CancellationError` is thrown.
    public var value: Void {
        get async throws {
            try await source.awaited { source, answer in
                source.subscribe(
                    onError: { answer.give(.failure($0)) }, onCompleted: { answer.give(.success(())) },
                    onDisposed: { answer.give(.failure(CancellationError())) })
            }
        }
    }
}

extension Observable {
    /// Waits for the answer that `subscribe` arranges for.
    fileprivate func awaited<Value>(_ subscribe: (Observable<Element>, Answer<Value>) -> any Disposable) async throws -> Value {
        let subscription = SingleAssignmentDisposable()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                subscription.setDisposable(subscribe(self, Answer(continuation)))
            }
        } onCancel: {
            subscription.dispose()
        }
    }
}

/// Resumes a waiting task once, with whatever comes first: the event, or a disposal from another thread. It holds no lock.
private final class Answer<Value>: @unchecked Sendable {  // because its one mutable word is atomic
    // The first stored property: its address is the word's.
    private let given = crx_flag()
    private let continuation: CheckedContinuation<Value, any Swift.Error>

    init(_ continuation: CheckedContinuation<Value, any Swift.Error>) {
        self.continuation = continuation
    }

    func give(_ result: Result<Value, any Swift.Error>) {
        guard crx_flag_fetch_add_acq_rel(FlagAndLock.flag(of: self), 1) == 0 else { return }
        // The observable hands its element from thread to thread, Sendable or not.
        nonisolated(unsafe) let result = result
        continuation.resume(with: result)
    }
}
