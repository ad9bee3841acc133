extension ObservableType {
    /// All elements in one array, sent when the source completes.
    ///
    ///     source:    --1--2--3--|
    ///     toArray(): -----------([1, 2, 3]|)
    ///
    /// The elements are kept until then; an error drops them.
    @inlinable
    @inline(never)
    public __consuming func toArray() -> Single<[Element]> {
        PrimitiveSequence(raw: ToArrayProducer(asObservable()))
    }
}

@usableFromInline
final class ToArrayProducer<Element>: Observable<[Element]>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>

    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = ToArraySink<Element>(assembly.sink(of: [Element].self))
            return .passUnretained(unsafeDowncast(base, to: ToArrayProducer<Element>.self).source)
        }
    }
}

@usableFromInline
final class ToArraySink<Element>: Stage<Element, [Element]> {
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var elements: [Element] = []

    @inlinable
    init(_ down: Sink<[Element]>) {
        super.init(down: down) { base, element in
            unsafeDowncast(base, to: ToArraySink<Element>.self).elements.append(element)
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        let elements = elements
        self.elements = []
        if error == nil { deliver(elements) }
        super.end(error)
    }
}
