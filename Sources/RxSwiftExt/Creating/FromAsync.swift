import RxSwift

/// What is wrong with the answer of a request that `Single.fromAsync(_:)` made.
public enum FromAsyncError: Error {
    /// It had both a value and an error, or neither.
    case inconsistentCompletionResult
}

extension Observable {
    /// A sequence of the value that a function with a completion handler comes to.
    ///
    ///     fromAsync(answer): ---(7|)   answered after 3 columns
    ///
    /// ![The value, and the end with it](marble-from-async)
    ///
    ///     // greet(_ name: String, completion: @escaping (String) -> Void)
    ///     let greeting = Observable.fromAsync(greet)("Ada")
    ///
    /// Each subscription calls the function. The handler may be called from any thread; only its first call counts, and
    /// none once the subscription is disposed of, which does not end the request itself.
    ///
    /// Pausing: there is one element at most, and so nothing to pause.
    ///
    /// - Parameter asyncRequest: called at each subscription, on the subscribing thread, with a completion handler.
    @preconcurrency
    public static func fromAsync(
        _ asyncRequest: @escaping @Sendable (@escaping @Sendable (Element) -> Void) -> Void
    ) -> Observable<Element> {
        create { observer in
            asyncRequest(observer.onNext)
            return Disposables.create()
        }
        // Sends the element and the end as one: a second call cannot get its element in between.
        .take(1)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single of what a function with a completion handler comes to: a value or an error.
    ///
    ///     // load(_ path: String, completion: @escaping (String?, LoadError?) -> Void)
    ///     let text = Single.fromAsync(load)("greeting.txt")
    ///
    /// It fails with the handler's error, and with ``FromAsyncError/inconsistentCompletionResult`` where there is none
    /// and no value, or both. Each subscription calls the function. The handler may be called from any thread; only its
    /// first call counts, and none once the subscription is disposed of, which does not end the request itself.
    ///
    /// Pausing: there is one element at most, and so nothing to pause.
    ///
    /// - Parameter asyncRequest: called at each subscription, on the subscribing thread, with a completion handler.
    @preconcurrency
    public static func fromAsync<Er: Error>(
        _ asyncRequest: @escaping @Sendable (@escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> Single<Element> {
        Single.create { observer in
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
