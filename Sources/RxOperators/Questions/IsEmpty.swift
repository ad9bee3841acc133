import RxSwift

extension ObservableType {
    /// Whether the source completes without an element.
    ///
    ///     source:    -----|
    ///     isEmpty(): -----(true|)
    ///
    /// ![True when the source completes without an element](marble-is-empty)
    ///
    ///     source:    --1--2--
    ///     isEmpty(): --(false|)
    ///
    /// ![False at the first element](marble-is-empty-false)
    ///
    /// The source is disposed of at its first element. The answer, or an earlier error, is delivered on the sending
    /// thread.
    ///
    /// Pausing: the source never pauses.
    @inlinable
    @inline(never)
    public __consuming func isEmpty() -> Single<Bool> {
        PrimitiveSequence(raw: lift(Search(found: false) { _ in true }))
    }
}
