import RxSwift

extension ObservableType where Element: Hashable {
    /// The set of all elements, sent when the source completes.
    ///
    ///     source:  --1--2--1--|
    ///     toSet(): -----------([1,2]|)
    ///
    /// ![Each element once, when the source completes](marble-to-set)
    ///
    /// Of equal elements, the first one is retained. The set is delivered on the thread that completes the source. An
    /// error drops the elements.
    ///
    /// Pausing: the source never pauses.
    @inlinable
    @inline(never)
    public __consuming func toSet() -> Single<Set<Element>> {
        PrimitiveSequence(raw: lift(ReduceInto([]) { $0.insert($1) }))
    }
}
