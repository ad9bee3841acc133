extension ObservableType {
    /// The one element of the source.
    ///
    /// Fails with ``RxError/noElements`` where the source completes without one, and with ``RxError/moreThanOneElement`` at the second. The
    /// first is sent as it comes.
    @inlinable
    @inline(never)
    public __consuming func single() -> Observable<Element> {
        SingleProducer(asObservable(), nil)
    }

    /// The one element that satisfies `predicate`.
    ///
    /// Fails with ``RxError/noElements`` where the source completes without one, and with ``RxError/moreThanOneElement`` at the second. The
    /// first is sent as it comes.
    ///
    /// - Parameter predicate: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func single(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
        SingleProducer(asObservable(), predicate)
    }
}

@usableFromInline
final class SingleProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let predicate: ((Element) throws -> Bool)?

    @inlinable
    init(_ source: Observable<Element>, _ predicate: ((Element) throws -> Bool)?) {
        self.source = source
        self.predicate = predicate
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SingleProducer<Element>.self)
            assembly.sink = SingleSink(assembly.sink(of: Element.self), me.predicate)
            return .passUnretained(me.source)
        }
    }
}

/// Guards: `hasElement`, `ended`: the gate above.
@usableFromInline
final class SingleSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let predicate: ((Element) throws -> Bool)?
    @usableFromInline
    @exclusivity(unchecked)
    var hasElement = false
    @usableFromInline
    @exclusivity(unchecked)
    var ended = false

    @inlinable
    init(_ down: Sink<Element>, _ predicate: ((Element) throws -> Bool)?) {
        self.predicate = predicate
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: SingleSink<Element>.self)
            guard me.isLive, !me.ended else { return }
            do {
                if let predicate = me.predicate, try !predicate(element) { return }
            } catch {
                return me.end(error)
            }
            if me.hasElement {
                me.end(RxError.moreThanOneElement)
            } else {
                me.hasElement = true
                me.deliver(element)
            }
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard !ended else { return }
        ended = true
        super.end(error ?? (hasElement ? nil : RxError.noElements))
    }
}
