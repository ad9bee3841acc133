extension ObservableType {
    /// Subscribes again when this sequence fails, as often as it takes.
    ///
    ///     source:          --1--#
    ///     the second time:      --1--#
    ///     the third time:            --1--
    ///     retry():         --1----1----1--
    ///
    /// ![The source once more after each error](marble-retry)
    ///
    /// The source is subscribed again on the thread on which it has failed, or on the subscribing one where that was
    /// within `subscribe`; a source that always fails at once keeps that thread busy until somebody disposes of the
    /// subscription. Its completion ends the result.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; subscribed to anew meanwhile, it is paused
    /// from its start. Attempts that fail while they are subscribed to cannot pause: one is made in a pause.
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
    /// The source is subscribed again on the thread on which it has failed, or on the subscribing one where that was
    /// within `subscribe`.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; subscribed to anew meanwhile, it is paused
    /// from its start. Attempts that fail while they are subscribed to cannot pause: one is made in a pause.
    ///
    /// - Parameter maxAttemptCount: how many subscriptions there may be, the first included; with 0 it completes at
    ///   once. It must not be negative.
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
