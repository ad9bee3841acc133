extension ObservableType {
    /// Each event as an element, the terminal one included; completes after it.
    ///
    ///     source:        --1-------2-------#
    ///     materialize(): --next(1)-next(2)-error(e)|
    @inlinable
    @inline(never)
    public __consuming func materialize() -> Observable<Event<Element>> {
        MaterializeProducer(asObservable())
    }
}

@usableFromInline
final class MaterializeProducer<Element>: Observable<Event<Element>>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>

    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = MaterializeSink<Element>(assembly.sink(of: Event<Element>.self))
            return .passUnretained(unsafeDowncast(base, to: MaterializeProducer<Element>.self).source)
        }
    }
}

@usableFromInline
final class MaterializeSink<Element>: Stage<Element, Event<Element>> {
    @inlinable
    init(_ down: Sink<Event<Element>>) {
        super.init(down: down) { base, element in
            unsafeDowncast(base, to: MaterializeSink<Element>.self).deliver(.next(element))
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        deliver(Event(end: error))
        super.end(nil)
    }
}
