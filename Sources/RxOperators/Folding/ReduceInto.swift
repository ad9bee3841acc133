import RxSwift

extension ObservableType {
    /// Accumulates all elements by changing a value in place, and sends the value when the source completes.
    ///
    ///     source:                                     --1--2--3--|
    ///     reduce(into: [0]) { $0.insert($1, at: 0) }: -----------([3,2,1,0]|)
    ///
    /// ![One array, when the source completes](marble-reduce-into)
    ///
    /// The value is not copied. A source without elements gives the seed. The result is delivered on the thread that
    /// completes the source. An error drops the result so far.
    ///
    /// If the accumulator makes the source complete, the sequence fails with `RxError.noElements`.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameters:
    ///   - seed: the initial value.
    ///   - accumulator: called with the value and each element. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func reduce<A>(
        into seed: A, accumulator: @escaping @Sendable (inout A, Element) throws -> Void
    ) -> Observable<A> {
        lift(ReduceInto(seed, accumulator))
    }
}

@usableFromInline
struct ReduceInto<Input, Output>: LinearOperator {
    @usableFromInline
    struct State {
        /// The result so far; nil while the accumulator changes it.
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
        // Moves the value out of the state, so that it is uniquely referenced and nested calls cannot change it.
        guard var result = stage.state.result.take() else {
            stage.state.waiting.append(element)
            return nil
        }
        try accumulator(&result, element)
        if !stage.state.waiting.isEmpty { try accumulateWaiting(in: &result, stage) }
        stage.state.result = result
        return nil
    }

    @usableFromInline
    func accumulateWaiting(in result: inout Output, _ stage: borrowing LinearStage<Self>) throws {
        while !stage.state.waiting.isEmpty {
            let elements = stage.state.waiting
            stage.state.waiting = []
            for element in elements {
                guard stage.isLive else { return }
                try accumulator(&result, element)
            }
        }
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if let error { return error }
        guard let result = stage.state.result.take() else { return RxError.noElements }
        stage.send(result)
        return nil
    }
}
