extension ObservableType {
    /// Subscribes again each time this sequence fails.
    ///
    ///     source:          --1--#
    ///     the second time:      --1--#
    ///     the third time:            --1--
    ///     retry():         --1----1----1--
    ///
    /// ![The source once more after each error](marble-retry)
    ///
    /// The thread that delivers the error subscribes to the source again. If the source fails within `subscribe`, the
    /// subscribing thread subscribes again after that call has returned. A source that always fails within `subscribe`
    /// occupies the subscribing thread until the subscription is disposed of.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. If it fails during the pause, the
    /// next attempt starts paused.
    ///
    /// ## See Also
    ///
    /// - [retry on reactivex.io](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    @inline(never)
    public __consuming func retry() -> Observable<Element> {
        CatchSequence(Endless(asObservable()))
    }

    /// Subscribes again when this sequence fails, with at most `maxAttemptCount` subscriptions in total. If all fail,
    /// the last error is passed on.
    ///
    ///     source:          --1--#
    ///     the second time:      --1--#
    ///     retry(2):        --1----1--#
    ///
    /// ![The source twice, and the second error](marble-retry-count)
    ///
    /// Threads and pauses are as in ``retry()``.
    ///
    /// - Parameter maxAttemptCount: the maximum number of subscriptions, not negative. If it is 0, the result completes
    ///   at once.
    ///
    /// ## See Also
    ///
    /// - <doc:HandlingErrors>
    /// - [retry on reactivex.io](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    @inline(never)
    public __consuming func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        if maxAttemptCount < 0 {
            rxFatalError(
                "Repetition count should be non-negative", operator: "retry", argument: "maxAttemptCount",
                value: maxAttemptCount)
        }
        return CatchSequence(Swift.repeatElement(asObservable(), count: maxAttemptCount))
    }
}
