import RxSwift

extension ObservableType {
    /// The largest element in the order that `areInIncreasingOrder` defines, sent when the source completes.
    ///
    ///     orders.max { $0.price < $1.price }
    ///
    /// Of equally large elements, the first one is sent. If the source has no elements, none is sent. The element, or
    /// an error, is delivered on the thread that ends the source.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter areInIncreasingOrder: returns whether its first argument belongs before its second. If it throws,
    ///   the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func max(
        by areInIncreasingOrder: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Maybe<Element> {
        PrimitiveSequence(raw: reduce { try areInIncreasingOrder($0, $1) ? $1 : $0 })
    }
}

extension ObservableType where Element: Comparable {
    /// The largest element, sent when the source completes.
    ///
    ///     source: --3--1--2--|
    ///     max():  -----------(3|)
    ///
    /// ![The largest element, when the source completes](marble-max)
    ///
    /// See ``max(by:)``.
    ///
    /// ## See Also
    ///
    /// - [max on reactivex.io](https://reactivex.io/documentation/operators/max.html)
    @inlinable
    @inline(never)
    public __consuming func max() -> Maybe<Element> {
        PrimitiveSequence(raw: lift(ReduceFromFirst { $0 < $1 ? $1 : $0 }))
    }
}
