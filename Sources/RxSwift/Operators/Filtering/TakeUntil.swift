extension ObservableType {
    /// The elements until `other` sends one.
    ///
    ///     source:            --1--2--3--4--|
    ///     other:             -------0---
    ///     take(until: other): --1--2-|
    ///
    /// Completes with the first element of `other`, whose completion changes nothing; fails with whichever of the two fails first.
    /// `other` is subscribed first. The two may fire from different threads at once; events are delivered one at a time.
    ///
    /// - Parameter other: says when; its element is not looked at.
    @inlinable
    @inline(never)
    public __consuming func take(until other: some ObservableType) -> Observable<Element> {
        TakeUntil(asObservable(), other.asObservable())
    }

    /// The elements until `other` sends one.
    @available(*, deprecated, renamed: "take(until:)")
    @inlinable
    @inline(never)
    public func takeUntil(_ other: some ObservableType) -> Observable<Element> {
        take(until: other)
    }
}

@usableFromInline
final class TakeUntil<Element, Other>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let other: Observable<Other>

    @inlinable
    init(_ source: Observable<Element>, _ other: Observable<Other>) {
        self.source = source
        self.other = other
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: TakeUntil<Element, Other>.self)
            let junction = Junction<Element>(&assembly)
            let child = TakeUntilChild(junction)
            let other = TakeUntilOther<Other, Element>(junction)
            // Listed in the order of disposal, subscribed in the other.
            junction.children.insert(child.disposer)
            junction.children.insert(other.disposer)
            me.other.subscribe(last: other, other.disposer)
            me.source.subscribe(last: child, child.disposer)
            return nil
        }
    }
}

/// The source of a take(until:).
@usableFromInline
final class TakeUntilChild<Element>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: Junction<Element>

    @inlinable
    init(_ junction: Junction<Element>) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in unsafeDowncast(base, to: TakeUntilChild<Element>.self).enter(element) }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        junction.deliver(element)
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.end(error)
    }
}

/// What ends a take(until:).
@usableFromInline
final class TakeUntilOther<Other, Element>: Child<Other>, GateTarget {
    @usableFromInline
    let junction: Junction<Element>

    @inlinable
    init(_ junction: Junction<Element>) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: TakeUntilOther<Other, Element>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_: Other) {
        junction.end(nil)
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if let error { junction.end(error) } else { junction.children.dispose(disposer) }
    }
}
