extension ObservableType {
    /// Sends the elements that satisfy `predicate`.
    ///
    ///     source:                 --1--2--3--4--|
    ///     filter { $0 % 2 == 0 }: -----2-----4--|
    ///
    /// ![The even numbers are let through](marble-filter)
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called on the delivering thread. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - [filter on reactivex.io](https://reactivex.io/documentation/operators/filter.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func filter(
        _ predicate: __owned @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        filterUnchecked(predicate)
    }

    @inlinable
    @inline(__always)
    package __consuming func filterUnchecked(
        _ predicate: __owned @escaping (Element) throws -> Bool
    ) -> Observable<Element> {
        MapFilterProducer(asObservable(), .filter(Filter(predicate)))
    }
}

@usableFromInline
struct Filter<Input>: FilteringOperator {
    @usableFromInline
    let predicate: (Input) throws -> Bool

    @inlinable
    init(_ predicate: __owned @escaping (Input) throws -> Bool) {
        self.predicate = predicate
    }

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool {
        try predicate(element)
    }

    @inlinable
    static var endsEarly: Bool { false }
}
