extension ObservableType {
    /// Accumulates the elements in place and sends each intermediate result.
    ///
    ///     source:                  --1-----2-----3-----|
    ///     scan(into: []) { .append }: --[1]---[1,2]---[1,2,3]--|
    ///
    /// The seed itself is not sent. Each subscription accumulates on its own. The accumulated value is not copied for the call, so
    /// appending to an array that no observer keeps takes constant time. What `accumulator` itself makes the source send is
    /// accumulated after it has returned.
    ///
    /// - Parameters:
    ///   - seed: what the first element is added to.
    ///   - accumulator: called with the last result and each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func scan<A>(into seed: A, accumulator: @escaping (inout A, Element) throws -> Void) -> Observable<A> {
        ScanIntoProducer(asObservable(), seed, accumulator)
    }
}

@usableFromInline
final class ScanIntoProducer<Input, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let seed: Output
    @usableFromInline
    let accumulator: (inout Output, Input) throws -> Void

    @inlinable
    init(_ source: Observable<Input>, _ seed: Output, _ accumulator: @escaping (inout Output, Input) throws -> Void) {
        self.source = source
        self.seed = seed
        self.accumulator = accumulator
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: ScanIntoProducer<Input, Output>.self)
            assembly.sink = ScanIntoSink(assembly.sink(of: Output.self), me.seed, me.accumulator)
            return .passUnretained(me.source)
        }
    }
}

/// Guards: `result`, `waiting`: the gate above.
@usableFromInline
final class ScanIntoSink<Input, Output>: Stage<Input, Output> {
    /// The last result; nil while `accumulator` has it.
    @usableFromInline
    @exclusivity(unchecked)
    var result: Output?
    /// What came while `accumulator` ran, sent by itself.
    @usableFromInline
    @exclusivity(unchecked)
    var waiting: [Input] = []
    @usableFromInline
    let accumulator: (inout Output, Input) throws -> Void

    @inlinable
    init(_ down: Sink<Output>, _ seed: Output, _ accumulator: @escaping (inout Output, Input) throws -> Void) {
        result = seed
        self.accumulator = accumulator
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: ScanIntoSink<Input, Output>.self)
            guard me.isLive else { return }
            me.accumulate(element)
            if !me.waiting.isEmpty, me.result != nil { me.accumulateWaiting() }
        }
    }

    @inlinable
    @inline(__always)
    func accumulate(_ element: Input) {
        guard var result = result.take() else {
            waiting.append(element)
            return
        }
        do {
            try accumulator(&result, element)
        } catch {
            // A source that goes on nevertheless finds the result as it is.
            self.result = result
            return end(error)
        }
        self.result = result
        deliver(result)
    }

    @usableFromInline
    func accumulateWaiting() {
        while !waiting.isEmpty {
            let elements = waiting
            waiting = []
            for element in elements {
                guard isLive else { return }
                accumulate(element)
            }
        }
    }
}
