import RxSwift

extension ObservableType {
    /// The last element, or `default` if the source completes without one.
    ///
    ///     source:      --1--2--|
    ///     last(or: 7): --------(2|)
    ///
    /// ![The last element, when the source completes](marble-last-or)
    ///
    /// The element, or an error, is delivered on the thread that ends the source.
    ///
    /// Pausing: the source never pauses.
    ///
    /// ## See Also
    ///
    /// - [last on reactivex.io](https://reactivex.io/documentation/operators/last.html)
    @inlinable
    @inline(never)
    public __consuming func last(or default: Element) -> Single<Element> {
        PrimitiveSequence(raw: takeLast(1).ifEmpty(default: `default`))
    }
}
