extension ObservableType {
    /// Accumulates the elements and sends each intermediate result.
    ///
    ///     source:                  --1--2--3--|
    ///     scan(0, accumulator: +): --1--3--6--|
    ///
    /// ![The running sum](marble-scan)
    ///
    /// The seed is not sent.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - seed: the initial value of each subscription.
    ///   - accumulator: called on the delivering thread. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``reduce(_:accumulator:)``
    /// - [scan on reactivex.io](https://reactivex.io/documentation/operators/scan.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func scan<A>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A
    ) -> Observable<A> {
        lift(Scan(seed, accumulator))
    }
}

@usableFromInline
struct Scan<Input, Output>: LinearOperator {
    @usableFromInline
    let seed: Output
    @usableFromInline
    let accumulator: (Output, Input) throws -> Output

    @inlinable
    init(_ seed: Output, _ accumulator: @escaping (Output, Input) throws -> Output) {
        self.seed = seed
        self.accumulator = accumulator
    }

    @inlinable
    func makeState() -> Output { seed }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output? {
        let result = try accumulator(stage.state, element)
        stage.state = result
        return result
    }

    @inlinable
    static var endsEarly: Bool { false }
}
