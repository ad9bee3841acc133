extension ObservableType {
    /// Sends `elements`, then the elements of this sequence.
    ///
    ///     source:          ------1--2--|
    ///     startWith(8, 9): (89)--1--2--|
    ///
    /// ![Elements before those of the source](marble-start-with)
    ///
    /// `elements` are sent on the subscribing thread, before this sequence is subscribed to. Errors are passed on. In a
    /// bounded subscription, `elements` wait for room.
    ///
    /// [Pausing](doc:BoundedMemory): the elements and the source pause with the downstream chain.
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
final class StartWith<Element>: Observable<Element>, @unchecked Sendable {  // immutable until it is freed
    /// The source; nil only while this object is being freed.
    @exclusivity(unchecked)
    @usableFromInline
    var source: Observable<Element>?
    @usableFromInline
    let elements: [Element]

    @inlinable
    init(_ source: Observable<Element>, _ elements: [Element]) {
        self.source = source
        self.elements = elements
        super.init { base, context in
            let me = unsafeDowncast(base, to: StartWith<Element>.self)
            if context.scope != nil { return me.concatenated() }
            let sink = context.takeTop(for: Element.self)
            for element in me.elements { sink.push(sink, element) }
            context.top = sink
            guard let source = me.source else { return nil }
            return source
        }
    }

    deinit {
        if isNested { freeIteratively() }
    }

    /// Separate from `deinit`, as in ``ConcatPair``.
    private var isNested: Bool { source?.isFreedIteratively ?? false }

    override var isFreedIteratively: Bool { true }

    override func give(to freed: inout [ObservableBase]) {
        if let source = source.take() { freed.append(source) }
    }

    /// This sequence as a concatenation, so that its elements can wait for room. Includes the elements of each
    /// `startWith` directly upstream, so that all share one coordinator.
    @usableFromInline
    func concatenated() -> ObservableBase {
        var (first, next) = (elements, source)
        while let above = next as? StartWith<Element> {
            first += above.elements
            next = above.source
        }
        return ConcatArray([.from(first)] + (next.map { [$0] } ?? []))
    }
}
