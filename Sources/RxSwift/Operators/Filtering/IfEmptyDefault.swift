extension ObservableType {
    /// The source, or one element where it completes without any.
    ///
    ///     source:              -----|
    ///     ifEmpty(default: 7): -----7|
    ///
    /// - Parameter default: sent when the source completes without an element.
    @inlinable
    @inline(never)
    public __consuming func ifEmpty(default: Element) -> Observable<Element> {
        IfEmptyDefaultProducer(asObservable(), `default`)
    }
}

@usableFromInline
final class IfEmptyDefaultProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let element: Element

    @inlinable
    init(_ source: Observable<Element>, _ element: Element) {
        self.source = source
        self.element = element
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: IfEmptyDefaultProducer<Element>.self)
            assembly.sink = IfEmptyDefaultSink(assembly.sink(of: Element.self), me.element)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class IfEmptyDefaultSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let element: Element
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var isEmpty = true

    @inlinable
    init(_ down: Sink<Element>, _ element: Element) {
        self.element = element
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: IfEmptyDefaultSink<Element>.self)
            me.isEmpty = false
            me.deliver(element)
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        if error == nil, isEmpty { deliver(element) }
        super.end(error)
    }
}
