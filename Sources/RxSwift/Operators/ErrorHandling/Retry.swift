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
    /// The source is subscribed to again on the thread on which it has failed; if that was within `subscribe`, on the
    /// subscribing thread. A source that always fails at once keeps that thread busy until the subscription is disposed
    /// of.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. If it fails during the pause, the
    /// next attempt starts paused. Attempts that fail from within `subscribe` cannot pause; at most one of them is made
    /// during a pause.
    ///
    /// ## See Also
    ///
    /// - [retry on reactivex.io](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    @inline(never)
    public __consuming func retry() -> Observable<Element> {
        CatchSequence(Endless(asObservable()))
    }

    /// Subscribes again when this sequence fails, until it has been subscribed `maxAttemptCount` times; then its error
    /// ends the result.
    ///
    ///     source:          --1--#
    ///     the second time:      --1--#
    ///     retry(2):        --1----1--#
    ///
    /// ![The source twice, and the second error](marble-retry-count)
    ///
    /// Threads and pauses are those of ``retry()``.
    ///
    /// - Parameter maxAttemptCount: the maximum number of subscriptions, not negative; with 0 the result completes at
    ///   once.
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
