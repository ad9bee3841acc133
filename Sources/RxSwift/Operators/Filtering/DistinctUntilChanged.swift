extension ObservableType where Element: Equatable {
    /// Drops each element that equals the previous one.
    ///
    ///     source:                 --1--1--2--1--|
    ///     distinctUntilChanged(): --1-----2--1--|
    ///
    /// ![No element that equals the one before it](marble-distinct-until-changed)
    ///
    /// Elements are compared and delivered on the sending thread; an error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - [distinct on reactivex.io](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged() -> Observable<Element> {
        lift(DistinctUntilChanged())
    }
}

extension ObservableType {
    /// Drops each element whose value at `keyPath` equals that of the last element sent.
    ///
    ///     readings.distinctUntilChanged(at: \.celsius)
    ///
    /// Elements are compared and delivered on the sending thread; an error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged(at keyPath: KeyPath<Element, some Equatable>) -> Observable<Element> {
        lift(DistinctUntilKeyChanged({ $0[keyPath: keyPath] }, ==))
    }

    /// Drops each element whose key equals that of the last element sent.
    ///
    ///     readings.distinctUntilChanged { $0.sensor }
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter keySelector: called on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func distinctUntilChanged(
        _ keySelector: @escaping @Sendable (Element) throws -> some Equatable
    ) -> Observable<Element> {
        lift(DistinctUntilKeyChanged(keySelector, ==))
    }

    /// Drops an element if `comparer` returns true for the last element sent and this element.
    ///
    ///     readings.distinctUntilChanged { abs($0.celsius - $1.celsius) < 0.5 }
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter comparer: called on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Observable<Element> {
        lift(DistinctUntilKeyChanged({ $0 }, comparer))
    }

    /// Drops an element if `comparer` returns true for the keys of the last element sent and of this element.
    ///
    ///     readings.distinctUntilChanged({ $0.celsius }, comparer: { abs($0 - $1) < 0.5 })
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - keySelector: called on the delivering thread. If it throws, the sequence fails.
    ///   - comparer: called with two keys. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func distinctUntilChanged<K>(
        _ keySelector: @escaping @Sendable (Element) throws -> K, comparer: @escaping @Sendable (K, K) throws -> Bool
    ) -> Observable<Element> {
        lift(DistinctUntilKeyChanged(keySelector, comparer))
    }
}

@usableFromInline
struct DistinctUntilChanged<Input: Equatable>: FilteringOperator {
    @inlinable
    init() {}

    @inlinable
    func makeState() -> Input? { nil }  // the last element sent

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Bool {
        if let last = stage.state, last == element { return false }
        stage.state = element
        return true
    }

    @inlinable
    static var endsEarly: Bool { false }
}

@usableFromInline
struct DistinctUntilKeyChanged<Input, Key>: FilteringOperator {
    @usableFromInline
    let keySelector: (Input) throws -> Key
    @usableFromInline
    let comparer: (Key, Key) throws -> Bool

    @inlinable
    init(_ keySelector: @escaping (Input) throws -> Key, _ comparer: @escaping (Key, Key) throws -> Bool) {
        self.keySelector = keySelector
        self.comparer = comparer
    }

    @inlinable
    func makeState() -> Key? { nil }  // the key of the last element sent

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool {
        let key = try keySelector(element)
        guard stage.isLive else { return false }
        if let last = stage.state, try comparer(last, key) { return false }
        stage.state = key
        return true
    }

    @inlinable
    static var endsEarly: Bool { false }
}
