import RxSwift

extension ObservableType {
    /// A dictionary of all elements by key, sent when the source completes.
    ///
    ///     orders.toDictionary(keySelector: \.id)
    ///
    /// Like ``toDictionary(keySelector:valueSelector:)``, with the elements as values.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func toDictionary<Key: Hashable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Single<[Key: Element]> {
        toDictionary(keySelector: keySelector, valueSelector: { $0 })
    }

    /// A dictionary with one value for each key, sent when the source completes.
    ///
    ///     source:                                                            --1--2--3--|
    ///     toDictionary(keySelector: { $0 % 2 }, valueSelector: { $0 * 10 }): -----------([0:20,1:30]|)
    ///
    /// ![The last value of each key, when the source completes](marble-to-dictionary)
    ///
    /// The last element of each key gives the value. The dictionary is delivered on the thread that completes the
    /// source. An error drops the values.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameters:
    ///   - keySelector: called with each element. If it throws, the sequence fails.
    ///   - valueSelector: called after `keySelector`. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func toDictionary<Key: Hashable, Value>(
        keySelector: @escaping @Sendable (Element) throws -> Key,
        valueSelector: @escaping @Sendable (Element) throws -> Value
    ) -> Single<[Key: Value]> {
        let entries = mapUnchecked { (key: try keySelector($0), value: try valueSelector($0)) }
        return PrimitiveSequence(raw: entries.lift(ReduceInto([:]) { $0[$1.key] = $1.value }))
    }
}
