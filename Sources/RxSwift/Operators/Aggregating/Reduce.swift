extension ObservableType {
    /// Accumulates all elements and sends the result when the source completes.
    ///
    ///     source:       --1--2--3--|
    ///     reduce(0, +): -----------6|
    ///
    /// A source without an element gives the seed. An error is handed on, and the result so far is dropped.
    ///
    /// - Parameters:
    ///   - seed: what the first element is added to.
    ///   - accumulator: called with the last result and each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func reduce<A>(_ seed: A, accumulator: @escaping (A, Element) throws -> A) -> Observable<A> {
        ReduceProducer(asObservable(), seed, accumulator) { $0 }
    }

    /// Accumulates all elements and sends the result, transformed, when the source completes.
    ///
    /// A source without an element gives the transformed seed. An error is handed on, and the result so far is dropped.
    ///
    /// - Parameters:
    ///   - seed: what the first element is added to.
    ///   - accumulator: called with the last result and each element, on the thread that delivers it. An error it throws ends the sequence.
    ///   - mapResult: called once, with the result. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func reduce<A, Result>(
        _ seed: A, accumulator: @escaping (A, Element) throws -> A, mapResult: @escaping (A) throws -> Result
    ) -> Observable<Result> {
        ReduceProducer(asObservable(), seed, accumulator, mapResult)
    }
}

@usableFromInline
final class ReduceProducer<Input, Accumulation, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let seed: Accumulation
    @usableFromInline
    let accumulator: (Accumulation, Input) throws -> Accumulation
    @usableFromInline
    let mapResult: (Accumulation) throws -> Output

    @inlinable
    init(
        _ source: Observable<Input>, _ seed: Accumulation, _ accumulator: @escaping (Accumulation, Input) throws -> Accumulation,
        _ mapResult: @escaping (Accumulation) throws -> Output
    ) {
        self.source = source
        self.seed = seed
        self.accumulator = accumulator
        self.mapResult = mapResult
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: ReduceProducer<Input, Accumulation, Output>.self)
            assembly.sink = ReduceSink(assembly.sink(of: Output.self), me.seed, me.accumulator, me.mapResult)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class ReduceSink<Input, Accumulation, Output>: Stage<Input, Output> {
    /// The result so far. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var result: Accumulation
    @usableFromInline
    let accumulator: (Accumulation, Input) throws -> Accumulation
    @usableFromInline
    let mapResult: (Accumulation) throws -> Output

    @inlinable
    init(
        _ down: Sink<Output>, _ seed: Accumulation, _ accumulator: @escaping (Accumulation, Input) throws -> Accumulation,
        _ mapResult: @escaping (Accumulation) throws -> Output
    ) {
        result = seed
        self.accumulator = accumulator
        self.mapResult = mapResult
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: ReduceSink<Input, Accumulation, Output>.self)
            guard me.isLive else { return }
            do {
                let result = try me.accumulator(me.result, element)
                // Released after the change: its `deinit` may come back to here.
                withExtendedLifetime(exchange(&me.result, with: result)) {}
            } catch {
                me.end(error)
            }
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        if let error { return super.end(error) }
        guard isLive else { return }
        do {
            deliver(try mapResult(result))
        } catch {
            return super.end(error)
        }
        super.end(nil)
    }
}
