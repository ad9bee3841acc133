import RxSwift

/// The completion handler of `Single.fromAsync(_:)` was called with inconsistent arguments.
public enum FromAsyncError: Error {
    /// The arguments were a value and an error, or neither.
    case inconsistentCompletionResult
}

extension Observable {
    /// Turns a function with a completion handler into a sequence of the value that the handler receives.
    ///
    ///     fromAsync(answer): ---(7|)   answered after 3 columns
    ///
    /// ![The value, and the end with it](marble-from-async)
    ///
    ///     // greet(_ name: String, completion: @escaping (String) -> Void)
    ///     let greeting = Observable.fromAsync(greet)("Ada")
    ///
    /// Only the first call of the handler, on any thread, has an effect. Disposal does not cancel the request.
    ///
    /// Pausing has no effect.
    ///
    /// - Parameter asyncRequest: called at each subscription, on the subscribing thread.
    @preconcurrency
    public static func fromAsync(
        _ asyncRequest: @escaping @Sendable (@escaping @Sendable (Element) -> Void) -> Void
    ) -> Observable<Element> {
        fromAsyncUnchecked(asyncRequest)
    }

    static func fromAsyncUnchecked(
        _ asyncRequest: @escaping (@escaping @Sendable (Element) -> Void) -> Void
    ) -> Observable<Element> {
        createUnchecked { observer in
            asyncRequest(observer.onNext)
            return Disposables.create()
        }
        // `take(1)` sends the element and the completion in one step, so a second call cannot send its element in
        // between.
        .take(1)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Turns a function with a completion handler into a single of the value or error that the handler receives.
    ///
    ///     // load(_ path: String, completion: @escaping (String?, LoadError?) -> Void)
    ///     let text = Single.fromAsync(load)("greeting.txt")
    ///
    /// Fails with the handler's error, or with ``FromAsyncError/inconsistentCompletionResult`` if the handler receives
    /// both a value and an error, or neither. Otherwise like `Observable.fromAsync(_:)`.
    ///
    /// Pausing has no effect.
    @preconcurrency
    public static func fromAsync<Er: Error>(
        _ asyncRequest: @escaping @Sendable (@escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> Single<Element> {
        fromAsyncUnchecked(asyncRequest)
    }

    static func fromAsyncUnchecked<Er: Error>(
        _ asyncRequest: @escaping (@escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> Single<Element> {
        nonisolated(unsafe) let asyncRequest = asyncRequest  // any thread may call it
        return Single.create { observer in
            asyncRequest { element, error in
                switch (element, error) {
                case (let element?, nil): observer(.success(element))
                case (nil, let error?): observer(.failure(error))
                default: observer(.failure(FromAsyncError.inconsistentCompletionResult))
                }
            }
            return Disposables.create()
        }
    }
}
