extension ObservableType {
    /// The given elements, then those of this sequence.
    ///
    ///     source:          ------1--2--|
    ///     startWith(8, 9): (89)--1--2--|
    ///
    /// ![Elements before those of the source](marble-start-with)
    ///
    /// The elements come before `subscribe` returns, on the subscribing thread; only then is this sequence subscribed.
    /// In a bounded subscription they wait for room, as the elements of ``from(_:scheduler:)-(Sequence,_)`` do. An
    /// error of the source follows the elements.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below, and so do the elements that come before it.
    ///
    /// - Parameter elements: what comes first, in this order.
    ///
    /// ## See Also
    ///
    /// - ``concat(_:)-swift.method``
    /// - [startwith on reactivex.io](https://reactivex.io/documentation/operators/startwith.html)
    @inlinable
    @inline(never)
    public __consuming func startWith(_ elements: Element...) -> Observable<Element> {
        StartWith(asObservable(), elements)
    }
}

@usableFromInline
final class StartWith<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let elements: [Element]

    @inlinable
    init(_ source: Observable<Element>, _ elements: [Element]) {
        self.source = source
        self.elements = elements
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: StartWith<Element>.self)
            if assembly.scope != nil {
                return assembly.keep(ConcatArray([.from(me.elements), me.source]))
            }
            let sink = assembly.takeTop(for: Element.self)
            for element in me.elements { sink.push(sink, element) }
            assembly.top = sink
            return .passUnretained(me.source)
        }
    }
}
