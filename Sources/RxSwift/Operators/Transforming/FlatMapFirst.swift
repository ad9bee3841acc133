extension ObservableType {
    /// The elements of the sequence that `selector` makes of an element; elements that come before that sequence has
    /// completed are dropped.
    ///
    ///     source:                      --1--2--3-----4---|
    ///     flatMapFirst { $0 ──a──b──| }: ----1a--1b----4a--4b--|
    ///
    /// Completes once the source and the inner sequence have completed; fails with the first that fails.
    /// The two may fire from different threads at once; events are delivered one at a time.
    ///
    /// - Parameter selector: called with each element that is not dropped, on the thread that delivers it. An error it
    ///   throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        Flatten(asObservable(), selector) { FirstJunction(&$0) }
    }
}

/// Delivers what its inner source sends, and takes no other until that has completed. Its state is the gate's owner's.
@usableFromInline
final class FirstJunction<Output>: Junction<Output>, FlatteningJunction, PassingJunction {
    /// How many inner sources run: more than one where the selector has made the source send.
    @usableFromInline
    @exclusivity(unchecked)
    var active = 0
    @usableFromInline
    @exclusivity(unchecked)
    var isOuterRunning = true

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @inlinable
    @inline(__always)
    var takesMore: Bool { active == 0 }

    @inlinable
    @inline(__always)
    func add(_ source: Observable<Output>, hasPlace: Bool) {
        active += 1
        if let element = Just.element(of: source) {
            deliver(element)
            innerCompleted()
        } else {
            source.subscribe(child: PassingChild(self), in: children)
        }
    }

    @usableFromInline
    func innerCompleted() {
        active -= 1
        if active == 0 && !isOuterRunning { end(nil) }
    }

    @usableFromInline
    func ended(_ child: ChildDisposer, _ error: (any Error)?) {
        if let error { return end(error) }
        children.dispose(child)
        innerCompleted()
    }

    @usableFromInline
    func outerEnded(_ outer: ChildDisposer, _ error: (any Error)?) {
        if let error { return end(error) }
        isOuterRunning = false
        children.dispose(outer)
        if active == 0 { end(nil) }
    }
}
