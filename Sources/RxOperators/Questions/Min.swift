import RxSwift

extension ObservableType {
    /// The smallest element in the order that `areInIncreasingOrder` defines, sent when the source completes.
    ///
    ///     orders.min { $0.price < $1.price }
    ///
    /// Of equally small elements, the first one is sent. If the source has no elements, none is sent. The element, or
    /// an error, is delivered on the thread that ends the source.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter areInIncreasingOrder: returns whether its first argument belongs before its second. If it throws,
    ///   the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func min(
        by areInIncreasingOrder: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Maybe<Element> {
        PrimitiveSequence(raw: reduce { try areInIncreasingOrder($1, $0) ? $1 : $0 })
    }
}

extension ObservableType where Element: Comparable {
    /// The smallest element, sent when the source completes.
    ///
    ///     source: --3--1--2--|
    ///     min():  -----------(1|)
    ///
    /// ![The smallest element, when the source completes](marble-min)
    ///
    /// See ``min(by:)``.
    ///
    /// ## See Also
    ///
    /// - [min on reactivex.io](https://reactivex.io/documentation/operators/min.html)
    @inlinable
    @inline(never)
    public __consuming func min() -> Maybe<Element> {
        PrimitiveSequence(raw: lift(ReduceFromFirst { $1 < $0 ? $1 : $0 }))
    }
}
