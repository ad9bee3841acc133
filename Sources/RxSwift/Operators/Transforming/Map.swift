extension ObservableType {
    /// Transforms each element.
    ///
    ///     source:        --1--2--3--|
    ///     map { $0 * 2 }: --2--4--6--|
    ///
    /// - Parameter transform: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Observable<Result> {
        MapProducer(asObservable(), transform)
    }
}

@usableFromInline
final class MapProducer<Input, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let transform: (Input) throws -> Output

    @inlinable
    init(_ source: Observable<Input>, _ transform: @escaping (Input) throws -> Output) {
        self.source = source
        self.transform = transform
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: MapProducer<Input, Output>.self)
            assembly.sink = MapSink(assembly.sink(of: Output.self), me.transform)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class MapSink<Input, Output>: Stage<Input, Output> {
    @usableFromInline
    let transform: (Input) throws -> Output

    @inlinable
    init(_ down: Sink<Output>, _ transform: @escaping (Input) throws -> Output) {
        self.transform = transform
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: MapSink<Input, Output>.self)
            guard me.isLive else { return }
            do {
                me.deliver(try me.transform(element))
            } catch {
                me.end(error)
            }
        }
    }
}
