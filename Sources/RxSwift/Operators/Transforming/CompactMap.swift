extension ObservableType {
    /// Transforms each element, and drops the results that are nil.
    ///
    ///     source:                 --"1"--"x"--"3"--|
    ///     compactMap { Int($0) }: --1---------3----|
    ///
    /// ![The strings that are numbers, converted to numbers](marble-compact-map)
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter transform: called on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        lift(CompactMap(transform))
    }

    @inlinable
    @inline(__always)
    package __consuming func compactMapUnchecked<Result>(
        _ transform: @escaping (Element) throws -> Result?
    ) -> Observable<Result> {
        lift(CompactMap(transform))
    }
}

@usableFromInline
struct CompactMap<Input, Output>: LinearOperator {
    @usableFromInline
    let transform: (Input) throws -> Output?

    @inlinable
    init(_ transform: @escaping (Input) throws -> Output?) {
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
