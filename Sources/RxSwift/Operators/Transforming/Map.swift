extension ObservableType {
    /// Transforms each element.
    ///
    ///     source:         --1--2--3--|
    ///     map { $0 * 2 }: --2--4--6--|
    ///
    /// ![Each number twice as large](marble-map)
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter transform: called on the delivering thread. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - [map on reactivex.io](https://reactivex.io/documentation/operators/map.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func map<Result>(
        _ transform: __owned @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        mapUnchecked(transform)
    }

    @inlinable
    @inline(__always)
    package __consuming func mapUnchecked<Result>(
        _ transform: __owned @escaping (Element) throws -> Result
    ) -> Observable<Result> {
        let map = Map(transform)
        if Result.self != Element.self { return LinearProducer(asObservable(), map) }
        let mapped = MapFilterProducer(asObservable(), .map(map as! Map<Element, Element>))
        return unsafeDowncast(mapped, to: Observable<Result>.self)
    }
}

@usableFromInline
struct Map<Input, Output>: LinearOperator {
    @usableFromInline
    let transform: (Input) throws -> Output

    @inlinable
    init(_ transform: __owned @escaping (Input) throws -> Output) {
        self.transform = transform
    }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output? {
        try transform(element)
    }

    @inlinable
    static var endsEarly: Bool { false }
}
