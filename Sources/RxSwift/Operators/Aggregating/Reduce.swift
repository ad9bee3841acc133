extension ObservableType {
    /// Accumulates all elements and sends the result when the source completes.
    ///
    ///     source:                    --1--2--3--|
    ///     reduce(0, accumulator: +): -----------(6|)
    ///
    /// ![One sum, when the source completes](marble-reduce)
    ///
    /// If the source has no element, `seed` is sent. An error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused.
    ///
    /// - Parameters:
    ///   - seed: the initial value.
    ///   - accumulator: called on the delivering thread. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``scan(_:accumulator:)``
    /// - [reduce on reactivex.io](https://reactivex.io/documentation/operators/reduce.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func reduce<A>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A
    ) -> Observable<A> {
        lift(Reduce(seed, accumulator) { $0 })
    }

    /// Accumulates all elements, and sends the result of `mapResult` when the source completes.
    ///
    ///     sizes.reduce((0, 0), accumulator: { ($0.0 + $1, $0.1 + 1) }, mapResult: { $0.0 / $0.1 })   // the mean
    ///
    /// See ``reduce(_:accumulator:)``. If `mapResult` throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func reduce<A, Result>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A,
        mapResult: @escaping @Sendable (A) throws -> Result
    ) -> Observable<Result> {
        lift(Reduce(seed, accumulator, mapResult))
    }
}

@usableFromInline
struct Reduce<Input, Accumulation, Output>: LinearOperator {
    @usableFromInline
    let seed: Accumulation
    @usableFromInline
    let accumulator: (Accumulation, Input) throws -> Accumulation
    @usableFromInline
    let mapResult: (Accumulation) throws -> Output

    @inlinable
    init(
        _ seed: Accumulation, _ accumulator: @escaping (Accumulation, Input) throws -> Accumulation,
        _ mapResult: @escaping (Accumulation) throws -> Output
    ) {
        self.seed = seed
        self.accumulator = accumulator
        self.mapResult = mapResult
    }

    @inlinable
    func makeState() -> Accumulation { seed }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output? {
        stage.state = try accumulator(stage.state, element)
        return nil
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)? {
        if error == nil { stage.send(try mapResult(stage.state)) }
        return error
    }

    @inlinable
    static var endsEarly: Bool { false }
}
