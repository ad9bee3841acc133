extension ObservableType {
    /// Sends the elements before the first one that satisfies `predicate`, then completes.
    ///
    ///     source:                                         --1--2--3--1--|
    ///     take(until: { $0 == 3 }):                       --1--2--|
    ///     take(until: { $0 == 3 }, behavior: .inclusive): --1--2--(3|)
    ///
    /// ![The elements before the first 3; if inclusive, also this 3](marble-take-until-predicate)
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - predicate: called on the delivering thread. If it throws, the sequence fails.
    ///   - behavior: whether the first element that satisfies `predicate` is sent.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        lift(TakeWhile(predicate, says: false, behavior))
    }

    /// Like ``take(until:behavior:)``.
    @available(*, deprecated, renamed: "take(until:behavior:)")
    @inlinable
    @inline(never)
    @preconcurrency
    public func takeUntil(
        _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(until: predicate, behavior: behavior)
    }
}
