extension ObservableType {
    /// Transforms each element and leaves out what has no result.
    ///
    ///     source:                 --"1"--"x"--"3"--|
    ///     compactMap { Int($0) }: --1---------3----|
    ///
    /// - Parameter transform: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func compactMap<Result>(_ transform: @escaping (Element) throws -> Result?) -> Observable<Result> {
        CompactMapProducer(asObservable(), transform)
    }
}

@usableFromInline
final class CompactMapProducer<Input, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let transform: (Input) throws -> Output?

    @inlinable
    init(_ source: Observable<Input>, _ transform: @escaping (Input) throws -> Output?) {
        self.source = source
        self.transform = transform
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: CompactMapProducer<Input, Output>.self)
            assembly.sink = CompactMapSink(assembly.sink(of: Output.self), me.transform)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class CompactMapSink<Input, Output>: Stage<Input, Output> {
    @usableFromInline
    let transform: (Input) throws -> Output?

    @inlinable
    init(_ down: Sink<Output>, _ transform: @escaping (Input) throws -> Output?) {
        self.transform = transform
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: CompactMapSink<Input, Output>.self)
            guard me.isLive else { return }
            do {
                if let result = try me.transform(element) { me.deliver(result) }
            } catch {
                me.end(error)
            }
        }
    }
}
