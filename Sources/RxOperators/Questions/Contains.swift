import RxSwift

extension ObservableType {
    /// Whether an element satisfies `predicate`.
    ///
    ///     source:                      --1--2--3--
    ///     contains(where: { $0 > 1 }): -----(true|)
    ///
    /// ![True at the first element that satisfies the predicate](marble-contains-where)
    ///
    /// The source is disposed of at the first element that satisfies the predicate. The answer, or an earlier error, is
    /// delivered on the sending thread. A source that completes without such an element gives `false`.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter predicate: called with each element. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func contains(where predicate: @escaping @Sendable (Element) throws -> Bool) -> Single<Bool> {
        PrimitiveSequence(raw: lift(Search(found: true, predicate)))
    }
}

extension ObservableType where Element: Equatable {
    /// Whether an element equals `element`.
    ///
    ///     source:      --1--2--3--|
    ///     contains(4): -----------(false|)
    ///
    /// ![False when the source completes](marble-contains)
    ///
    /// Otherwise like ``contains(where:)``.
    ///
    /// ## See Also
    ///
    /// - [contains on reactivex.io](https://reactivex.io/documentation/operators/contains.html)
    @inlinable
    @inline(never)
    public __consuming func contains(_ element: Element) -> Single<Bool> {
        PrimitiveSequence(raw: lift(Search(found: true) { $0 == element }))
    }
}
