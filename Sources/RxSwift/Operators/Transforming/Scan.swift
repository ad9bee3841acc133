extension ObservableType {
    /// Accumulates the elements and sends each intermediate result.
    ///
    ///     source:      --1--2--3--|
    ///     scan(0, +):  --1--3--6--|
    ///
    /// The seed itself is not sent. Each subscription accumulates on its own.
    ///
    /// - Parameters:
    ///   - seed: what the first element is added to.
    ///   - accumulator: called with the last result and each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func scan<A>(_ seed: A, accumulator: @escaping (A, Element) throws -> A) -> Observable<A> {
        ScanProducer(asObservable(), seed, accumulator)
    }
}

@usableFromInline
final class ScanProducer<Input, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let seed: Output
    @usableFromInline
    let accumulator: (Output, Input) throws -> Output

    @inlinable
    init(_ source: Observable<Input>, _ seed: Output, _ accumulator: @escaping (Output, Input) throws -> Output) {
        self.source = source
        self.seed = seed
        self.accumulator = accumulator
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: ScanProducer<Input, Output>.self)
            assembly.sink = ScanSink(assembly.sink(of: Output.self), me.seed, me.accumulator)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class ScanSink<Input, Output>: Stage<Input, Output> {
    /// The last result. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var result: Output
    @usableFromInline
    let accumulator: (Output, Input) throws -> Output

    @inlinable
    init(_ down: Sink<Output>, _ seed: Output, _ accumulator: @escaping (Output, Input) throws -> Output) {
        result = seed
        self.accumulator = accumulator
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: ScanSink<Input, Output>.self)
            guard me.isLive else { return }
            do {
                let result = try me.accumulator(me.result, element)
                // Released after the change: its `deinit` may come back to here.
                withExtendedLifetime(exchange(&me.result, with: result)) {}
                me.deliver(result)
            } catch {
                me.end(error)
            }
        }
    }
}
