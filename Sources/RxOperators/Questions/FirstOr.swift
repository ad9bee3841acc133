import RxSwift

extension ObservableType {
    /// The first element, or `default` if the source completes without one.
    ///
    ///     source:       -----|
    ///     first(or: 7): -----(7|)
    ///
    /// ![A value in place of the first element](marble-first-or)
    ///
    /// The source is disposed of at its first element. Events are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public __consuming func first(or default: Element) -> Single<Element> {
        PrimitiveSequence(raw: take(1).ifEmpty(default: `default`))
    }
}
