extension ObservableType {
    /// The element at `index`, then completes.
    ///
    ///     source:         --a--b--c--|
    ///     element(at: 1): -----b|
    ///
    /// Fails with ``RxError/argumentOutOfRange`` where the source completes before it.
    ///
    /// - Parameter index: counts from 0; must not be negative.
    @inlinable
    @inline(never)
    public __consuming func element(at index: Int) -> Observable<Element> {
        ElementAtProducer(asObservable(), index)
    }

    /// The element at `index`, then completes.
    @available(*, deprecated, renamed: "element(at:)")
    @inlinable
    @inline(never)
    public func elementAt(_ index: Int) -> Observable<Element> {
        element(at: index)
    }
}

@usableFromInline
final class ElementAtProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let index: Int

    @inlinable
    init(_ source: Observable<Element>, _ index: Int) {
        if index < 0 { rxFatalError("index can't be negative", operator: "element", argument: "at", value: index) }
        self.source = source
        self.index = index
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: ElementAtProducer<Element>.self)
            assembly.sink = ElementAtSink(assembly.sink(of: Element.self), me.index)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class ElementAtSink<Element>: Stage<Element, Element> {
    /// How many elements come before the one that is wanted. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var before: Int
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var ended = false

    @inlinable
    init(_ down: Sink<Element>, _ index: Int) {
        before = index
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: ElementAtSink<Element>.self)
            guard !me.ended else { return }
            if me.before > 0 {
                me.before -= 1
            } else {
                // What the observer makes the source send meanwhile comes through, too, as in RxSwift.
                me.deliver(element)
                me.finish(nil)
            }
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        finish(error ?? RxError.argumentOutOfRange)
    }

    @usableFromInline
    func finish(_ error: (any Error)?) {
        guard !ended else { return }
        ended = true
        super.end(error)
    }
}
