extension ObservableType {
    /// The elements of the sequences that `selector` returns, one sequence after the other.
    ///
    ///     source:                     --1--2-------|
    ///     concatMap { $0 ──a──b──| }: ----1a-1b---2a-2b-|
    ///
    /// ![Inner sequences one after the other](marble-concat-map)
    ///
    /// While an inner sequence runs, later ones wait. Completes when this sequence and all inner sequences have
    /// completed; fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): the inner and the outer source pause with the downstream chain. In a bounded
    /// subscription, the outer source also pauses when the number of waiting sequences reaches the bound. Without a
    /// bound, their number is not limited.
    ///
    /// - Parameter selector: called with each element when it arrives, on the delivering thread. If it throws, the
    ///   sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``concat(_:)-swift.method``
    /// - [flatmap on reactivex.io](https://reactivex.io/documentation/operators/flatmap.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { LimitedMergeCoordinator(&$0, "concatMap", limit: 1) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Like ``concatMap(_:)``, with the elements as inner sequences.
    @inlinable
    @inline(never)
    public __consuming func concat() -> Observable<Element.Element> {
        flatten({ $0 }) { LimitedMergeCoordinator(&$0, "concat", limit: 1) }
    }
}
