/// The one element of the source, sent when the source completes: what `asSingle` and `asMaybe` stand on.
///
/// Fails with ``RxError/moreThanOneElement`` at the second, and, where an element is required, with ``RxError/noElements`` without any.
@usableFromInline
final class SoleElementProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let isRequired: Bool

    @inlinable
    init(_ source: Observable<Element>, isRequired: Bool) {
        self.source = source
        self.isRequired = isRequired
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SoleElementProducer<Element>.self)
            assembly.sink = SoleElementSink(assembly.sink(of: Element.self), isRequired: me.isRequired)
            return .passUnretained(me.source)
        }
    }
}

/// Guards: `element`, `ended`: the gate above.
@usableFromInline
final class SoleElementSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let isRequired: Bool
    @usableFromInline
    @exclusivity(unchecked)
    var element: Element?
    @usableFromInline
    @exclusivity(unchecked)
    var ended = false

    @inlinable
    init(_ down: Sink<Element>, isRequired: Bool) {
        self.isRequired = isRequired
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: SoleElementSink<Element>.self)
            guard !me.ended else { return }
            if me.element == nil {
                me.element = element
            } else {
                me.end(RxError.moreThanOneElement)
            }
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard !ended else { return }
        ended = true
        let element = element.take()
        if let error { return super.end(error) }
        if let element {
            deliver(element)
            super.end(nil)
        } else {
            super.end(isRequired ? RxError.noElements : nil)
        }
    }
}
