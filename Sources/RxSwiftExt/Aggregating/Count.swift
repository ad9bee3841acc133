import RxSwift

extension Observable {
    /// When the sequence completes, sends the number of its elements.
    ///
    ///     source:  --7--8--9--|
    ///     count(): -----------(3|)
    ///
    /// ![How many elements there were, when the source completes](marble-count)
    ///
    /// The number is delivered on the thread that completes the source; an error is passed on.
    ///
    /// Pausing: the source never pauses.
    ///
    /// ## See Also
    ///
    /// - [count on reactivex.io](https://reactivex.io/documentation/operators/count.html)
    @inlinable
    @inline(never)
    public func count() -> Observable<Int> {
        reduce(0) { count, _ in count + 1 }
    }

    /// When the sequence completes, sends the number of elements that satisfy `predicate`.
    ///
    ///     orders.count { $0.isOpen }
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter predicate: called with each element, on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public func count(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Int> {
        reduce(0) { count, element in try predicate(element) ? count + 1 : count }
    }
}
