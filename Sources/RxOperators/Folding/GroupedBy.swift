import RxSwift

extension ObservableType {
    /// A dictionary with an array of elements for each key, sent when the source completes.
    ///
    ///     source:                  --1--2--3--|
    ///     grouped(by: { $0 % 2 }): -----------([0:[2],1:[1,3]]|)
    ///
    /// ![The elements of each key, when the source completes](marble-grouped-by)
    ///
    /// The elements of a key keep their order. The dictionary is delivered on the thread that completes the source. An
    /// error drops the elements.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter keySelector: called with each element. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func grouped<Key: Hashable>(
        by keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Single<[Key: [Element]]> {
        let entries = mapUnchecked { (key: try keySelector($0), element: $0) }
        return PrimitiveSequence(raw: entries.lift(ReduceInto([:]) { $0[$1.key, default: []].append($1.element) }))
    }
}
