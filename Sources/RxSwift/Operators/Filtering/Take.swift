extension ObservableType {
    /// The first `count` elements, then completes.
    ///
    ///     source:  --1--2--3--|
    ///     take(2): --1--2|
    ///
    /// The source is let go when the last of them has been delivered. With `count` 0 it is not subscribed at all.
    ///
    /// - Parameter count: must not be negative.
    @inlinable
    @inline(never)
    public __consuming func take(_ count: Int) -> Observable<Element> {
        count == 0 ? .empty() : TakeProducer(asObservable(), count)
    }
}

@usableFromInline
final class TakeProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let count: Int

    @inlinable
    init(_ source: Observable<Element>, _ count: Int) {
        if count < 0 { rxFatalError("count can't be negative", operator: "take", argument: "count", value: count) }
        self.source = source
        self.count = count
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: TakeProducer<Element>.self)
            assembly.sink = TakeSink(assembly.sink(of: Element.self), me.count)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class TakeSink<Element>: Stage<Element, Element> {
    /// How many elements may still come. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var left: Int
    /// Guarded by the gate above.
    @exclusivity(unchecked)
    private var ended = false

    @inlinable
    convenience init(_ down: Sink<Element>, _ count: Int) {
        self.init(down, count) { base, element in
            let me = unsafeDowncast(base, to: TakeSink<Element>.self)
            guard me.left > 0 else { return }
            me.left -= 1
            // The last one is so before its delivery: what the observer makes the source send meanwhile comes too late.
            let isLast = me.left == 0
            me.deliver(element)
            if isLast { me.end(nil) }
        }
    }

    @usableFromInline
    init(_ down: Sink<Element>, _ count: Int, push: @escaping Push) {
        left = count
        super.init(down: down, push: push)
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard !ended else { return }
        ended = true
        left = 0
        super.end(error)
    }
}
