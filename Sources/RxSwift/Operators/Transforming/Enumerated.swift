extension ObservableType {
    /// Each element with its index, which counts from 0.
    ///
    ///     source:       --a------b------|
    ///     enumerated(): --(0,a)--(1,b)--|
    @inlinable
    @inline(never)
    public __consuming func enumerated() -> Observable<(index: Int, element: Element)> {
        EnumeratedProducer(asObservable())
    }
}

@usableFromInline
final class EnumeratedProducer<Element>: Observable<(index: Int, element: Element)>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>

    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = EnumeratedSink<Element>(assembly.sink(of: (index: Int, element: Element).self))
            return .passUnretained(unsafeDowncast(base, to: EnumeratedProducer<Element>.self).source)
        }
    }
}

@usableFromInline
final class EnumeratedSink<Element>: Stage<Element, (index: Int, element: Element)> {
    /// The index of the next element. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var next = 0

    @inlinable
    init(_ down: Sink<(index: Int, element: Element)>) {
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: EnumeratedSink<Element>.self)
            let index = me.next
            me.next = index &+ 1
            me.deliver((index: index, element: element))
        }
    }
}
