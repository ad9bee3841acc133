extension ObservableType {
    /// The sequences that `selector` makes of the elements, one after the other.
    ///
    ///     source:                   --1--2-------|
    ///     concatMap { $0 ──a──b──| }: ----1a--1b----2a--2b--|
    ///
    /// The selector is called when an element arrives. Its sequence is queued while one runs, and subscribed when that
    /// has completed. The queue has no bound. Completes once the source and all inner sequences have completed; fails
    /// with the first that fails.
    ///
    /// - Parameter selector: called with each element, on the thread that delivers it. An error it throws ends the
    ///   sequence.
    @inlinable
    @inline(never)
    public __consuming func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        Flatten(asObservable(), selector) { LimitedMergeJunction(&$0, limit: 1) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The elements of the inner sequences, one sequence after the other. As ``concatMap(_:)`` of the sequences
    /// themselves.
    @inlinable
    @inline(never)
    public __consuming func concat() -> Observable<Element.Element> {
        Flatten(asObservable(), { $0 }) { LimitedMergeJunction(&$0, limit: 1) }
    }

    /// Merges the inner sequences, at most `maxConcurrent` of them at a time; the others wait for their turn, in order
    /// and without a bound.
    ///
    /// Completes once the source and all inner sequences have completed; fails with the first that fails.
    ///
    /// - Parameter maxConcurrent: how many may run. With 0 none ever does, and the result completes with this sequence.
    @inlinable
    @inline(never)
    public __consuming func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        Flatten(asObservable(), { $0 }) { LimitedMergeJunction(&$0, limit: maxConcurrent) }
    }

    /// Merges the inner sequences, as they come.
    ///
    /// Completes once the source and all inner sequences have completed; fails with the first that fails.
    @inlinable
    @inline(never)
    public __consuming func merge() -> Observable<Element.Element> {
        Flatten(asObservable(), { $0 }) { MergeJunction(&$0, active: 1) }
    }
}

/// Merges what its inner sources send, so many at a time, and queues the others.
///
/// Guards: the gate's owner alone touches what is here.
@usableFromInline
final class LimitedMergeJunction<Element>: Junction<Element>, FlatteningJunction, PassingJunction {
    @usableFromInline
    let limit: Int
    /// How many places are taken. A place whose source has ended passes to the first that waits.
    @usableFromInline
    @exclusivity(unchecked)
    var active = 0
    @usableFromInline
    @exclusivity(unchecked)
    var waiting = Ring<Observable<Element>>()
    /// The source that takes over a place and is being subscribed; nil once it has ended and others wait.
    @usableFromInline
    @exclusivity(unchecked)
    var opening: ChildDisposer?
    @usableFromInline
    @exclusivity(unchecked)
    var isOuterEnded = false

    @inlinable
    init(_ assembly: inout Assembly, limit: Int) {
        self.limit = limit
        super.init(&assembly)
    }

    @inlinable
    @inline(__always)
    func takePlace() -> Bool {
        guard active < limit else { return false }
        active += 1
        return true
    }

    @inlinable
    @inline(__always)
    func add(_ source: Observable<Element>, hasPlace: Bool) {
        // One may have become free while the source was made.
        guard hasPlace || takePlace() else { return waiting.append(source) }
        if let element = Just.element(of: source) {
            deliver(element)
            vacate()
        } else {
            source.subscribe(child: PassingChild(self), in: children)
        }
    }

    /// A source has ended. Its place passes to the one that waits longest, in a loop, for that may end at once.
    @usableFromInline
    func vacate() {
        while isLive, !waiting.isEmpty {
            if keepsPlace(waiting.removeFirst()) { return }
        }
        active -= 1
        if active == 0 && isOuterEnded { end(nil) }
    }

    /// Subscribes a source that takes over a place; false where the place is to be passed on by now.
    private func keepsPlace(_ source: Observable<Element>) -> Bool {
        if let element = Just.element(of: source) {
            deliver(element)
            return false
        }
        let child = PassingChild(self, ChildDisposer(subscribing: ()))
        // Another place may become free while it is subscribed, and be taken over in turn.
        let outer = opening
        opening = child.disposer
        source.subscribe(successor: child, child.disposer, in: children)
        let runs = opening === child.disposer
        opening = outer
        return runs
    }

    @usableFromInline
    func outerEnded(_ child: ChildDisposer, _ error: (any Error)?) {
        if error != nil || active == 0 { return end(error) }
        isOuterEnded = true
        children.dispose(child)
    }

    @usableFromInline
    func ended(_ child: ChildDisposer, _ error: (any Error)?) {
        if let error { return end(error) }
        children.dispose(child)
        // While it is being subscribed, the loop that does so passes its place on.
        if child === opening && !waiting.isEmpty { opening = nil } else { vacate() }
    }
}
