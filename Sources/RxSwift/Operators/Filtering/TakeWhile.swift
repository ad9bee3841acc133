extension ObservableType {
    /// Sends elements as long as they satisfy `predicate`, then completes.
    ///
    ///     source:                                        --1--2--3--1--|
    ///     take(while: { $0 < 3 }):                       --1--2--|
    ///     take(while: { $0 < 3 }, behavior: .inclusive): --1--2--(3|)
    ///
    /// ![The elements before the first 3; if inclusive, also this 3](marble-take-while)
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - predicate: called on the delivering thread. If it throws, the sequence fails.
    ///   - behavior: whether the first element that does not satisfy `predicate` is sent.
    ///
    /// ## See Also
    ///
    /// - [takewhile on reactivex.io](https://reactivex.io/documentation/operators/takewhile.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        lift(TakeWhile(predicate, says: true, behavior))
    }

    /// Like ``take(while:behavior:)``.
    @available(*, deprecated, renamed: "take(while:)")
    @inlinable
    @inline(never)
    @preconcurrency
    public func takeWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate)
    }
}

/// Sends elements while `predicate` returns `passing`. The state is true once an element has not passed.
@usableFromInline
struct TakeWhile<Input>: FilteringOperator {
    @usableFromInline
    let predicate: (Input) throws -> Bool
    @usableFromInline
    let passing: Bool
    @usableFromInline
    let behavior: TakeBehavior

    @inlinable
    init(_ predicate: @escaping (Input) throws -> Bool, says passing: Bool, _ behavior: TakeBehavior) {
        self.predicate = predicate
        self.passing = passing
        self.behavior = behavior
    }

    @inlinable
    func makeState() -> Bool { false }

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool {
        guard !stage.state else { return false }
        let passes = try predicate(element) == passing
        // The predicate may have made the source send an element that ended the sequence.
        guard !stage.state, stage.isLive else { return false }
        if passes { return true }
        stage.state = true
        if behavior == .inclusive { stage.send(element) }
        stage.end()
        return false
    }
}
