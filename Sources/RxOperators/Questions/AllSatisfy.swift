import RxSwift

extension ObservableType {
    /// Whether all elements satisfy `predicate`.
    ///
    ///     source:                --1--2--3--|
    ///     allSatisfy { $0 < 4 }: -----------(true|)
    ///
    /// ![True when the source completes](marble-all-satisfy)
    ///
    ///     source:                --1--2--3--
    ///     allSatisfy { $0 < 2 }: -----(false|)
    ///
    /// ![False at the first element that does not satisfy the predicate](marble-all-satisfy-false)
    ///
    /// The source is disposed of at the first element that does not satisfy the predicate. The answer, or an earlier
    /// error, is delivered on the sending thread. A source without elements gives `true`.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter predicate: called with each element. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - [all on reactivex.io](https://reactivex.io/documentation/operators/all.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func allSatisfy(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Single<Bool> {
        PrimitiveSequence(raw: lift(Search(found: false) { try !predicate($0) }))
    }
}
