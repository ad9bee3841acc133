extension ObservableType {
    /// Leaves the first `count` elements out.
    ///
    ///     source:  --1--2--3--|
    ///     skip(2): --------3--|
    ///
    /// - Parameter count: nothing is left out where it is 0 or less.
    @inlinable
    @inline(never)
    public __consuming func skip(_ count: Int) -> Observable<Element> {
        SkipProducer(asObservable(), count)
    }
}

@usableFromInline
final class SkipProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let count: Int

    @inlinable
    init(_ source: Observable<Element>, _ count: Int) {
        self.source = source
        self.count = count
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SkipProducer<Element>.self)
            assembly.sink = SkipSink(assembly.sink(of: Element.self), me.count)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class SkipSink<Element>: Stage<Element, Element> {
    /// How many elements are still left out. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var left: Int

    @inlinable
    init(_ down: Sink<Element>, _ count: Int) {
        left = count
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: SkipSink<Element>.self)
            if me.left > 0 {
                me.left -= 1
            } else {
                me.deliver(element)
            }
        }
    }
}
