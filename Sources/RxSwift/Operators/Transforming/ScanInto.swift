extension ObservableType {
    /// Accumulates the elements in place and sends each intermediate result.
    ///
    ///     source:                           --1-----2-----3--------|
    ///     scan(into: []) { $0.append($1) }: --[1]---[1,2]-[1,2,3]--|
    ///
    /// ![The array of all elements so far](marble-scan-into)
    ///
    /// The seed is not sent. The accumulated value is not copied. So appending to an array takes constant time, unless
    /// an observer retains the array.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - seed: the initial value of each subscription.
    ///   - accumulator: called on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func scan<A>(
        into seed: A, accumulator: @escaping @Sendable (inout A, Element) throws -> Void
    ) -> Observable<A> {
        lift(ScanInto(seed, accumulator))
    }
}

@usableFromInline
struct ScanInto<Input, Output>: LinearOperator {
    @usableFromInline
    struct State {
        /// The latest result; nil while the accumulator is running.
        @usableFromInline
        var result: Output?
        @usableFromInline
        var waiting: [Input] = []

        @inlinable
        init(_ result: Output) {
            self.result = result
        }
    }

    @usableFromInline
    let seed: Output
    @usableFromInline
    let accumulator: (inout Output, Input) throws -> Void

    @inlinable
    init(_ seed: Output, _ accumulator: @escaping (inout Output, Input) throws -> Void) {
        self.seed = seed
        self.accumulator = accumulator
    }

    @inlinable
    func makeState() -> State { State(seed) }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output? {
        guard let result = try accumulate(element, stage) else { return nil }
        if stage.state.waiting.isEmpty { return result }
        stage.send(result)
        try accumulateWaiting(stage)
        return nil
    }

    /// If the accumulator is running, queues the element and returns nil.
    @inlinable
    @inline(__always)
    func accumulate(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output? {
        guard var result = stage.state.result.take() else {
            stage.state.waiting.append(element)
            return nil
        }
        // The result is stored even after an error, because the source may continue to send.
        defer { stage.state.result = result }
        try accumulator(&result, element)
        return result
    }

    @usableFromInline
    func accumulateWaiting(_ stage: borrowing LinearStage<Self>) throws {
        while !stage.state.waiting.isEmpty {
            let elements = stage.state.waiting
            stage.state.waiting = []
            for element in elements {
                guard stage.isLive else { return }
                if let result = try accumulate(element, stage) { stage.send(result) }
            }
        }
    }

    @inlinable
    static var endsEarly: Bool { false }
}
