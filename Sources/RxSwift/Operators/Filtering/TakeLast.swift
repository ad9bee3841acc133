extension ObservableType {
    /// The last `count` elements, when the source completes.
    ///
    ///     source:      --1--2--3--|
    ///     takeLast(2): -----------2-3|
    ///
    /// Buffers up to `count` elements; one that is displaced is freed at once. An error is handed on, and the buffer is dropped.
    ///
    /// - Parameter count: must not be negative.
    @inlinable
    @inline(never)
    public __consuming func takeLast(_ count: Int) -> Observable<Element> {
        TakeLastProducer(asObservable(), count)
    }
}

@usableFromInline
final class TakeLastProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let count: Int

    @inlinable
    init(_ source: Observable<Element>, _ count: Int) {
        if count < 0 { rxFatalError("count can't be negative", operator: "takeLast", argument: "count", value: count) }
        self.source = source
        self.count = count
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: TakeLastProducer<Element>.self)
            assembly.sink = TakeLastSink(assembly.sink(of: Element.self), me.count)
            return .passUnretained(me.source)
        }
    }
}

/// Guards: `buffer`, `oldest`: the gate above.
@usableFromInline
final class TakeLastSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let count: Int
    /// At most `count` elements; a ring once it is full.
    @usableFromInline
    @exclusivity(unchecked)
    var buffer: [Element] = []
    /// The index of the oldest element.
    @usableFromInline
    @exclusivity(unchecked)
    var oldest = 0

    @inlinable
    init(_ down: Sink<Element>, _ count: Int) {
        self.count = count
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: TakeLastSink<Element>.self)
            if me.buffer.count < me.count {
                me.buffer.append(element)
            } else if me.count > 0 {
                me.displaceOldest(with: element)
            }
        }
    }

    /// Releases what it displaces only when the buffer is whole again, since that may call out.
    @inlinable
    @inline(__always)
    func displaceOldest(with element: Element) {
        let index = oldest
        oldest = index + 1 == count ? 0 : index + 1
        var displaced = element
        swap(&buffer[index], &displaced)
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        let (elements, first) = (buffer, oldest)
        buffer = []
        oldest = 0
        if error == nil {
            for offset in elements.indices {
                guard isLive else { return }
                deliver(elements[(first + offset) % elements.count])
            }
        }
        super.end(error)
    }
}
