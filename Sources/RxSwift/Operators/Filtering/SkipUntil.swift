extension ObservableType {
    /// The elements after the first that `other` sends.
    ///
    ///     source:            --1--2--3--4--|
    ///     other:             -------0---
    ///     skip(until: other): -------3--4--|
    ///
    /// Completes with the source, but never if `other` has sent nothing by then; fails with whichever of the two fails
    /// first. `other` is disposed of at its first element: what it sends after that, an error included, is not heard,
    /// however it comes. The source is subscribed first. The two may fire from different threads at once; events are
    /// delivered one at a time.
    ///
    /// - Parameter other: says when; its element is not looked at.
    @inlinable
    @inline(never)
    public __consuming func skip(until other: some ObservableType) -> Observable<Element> {
        SkipUntil(asObservable(), other.asObservable())
    }

    /// The elements after the first that `other` sends.
    @available(*, deprecated, renamed: "skip(until:)")
    @inlinable
    @inline(never)
    public func skipUntil(_ other: some ObservableType) -> Observable<Element> {
        skip(until: other)
    }
}

@usableFromInline
final class SkipUntil<Element, Other>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let other: Observable<Other>

    @inlinable
    init(_ source: Observable<Element>, _ other: Observable<Other>) {
        self.source = source
        self.other = other
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SkipUntil<Element, Other>.self)
            let junction = SkipUntilJunction<Element>(&assembly)
            let other = TriggerChild<Other, SkipUntilJunction<Element>>(junction)
            me.source.subscribe(child: SkipUntilChild(junction, other.disposer), in: junction.children)
            me.other.subscribe(child: other, in: junction.children)
            return nil
        }
    }
}

@usableFromInline
final class SkipUntilJunction<Element>: Junction<Element>, TriggeredJunction {
    /// The gate's owner's.
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @inlinable
    func triggered(by trigger: ChildDisposer) {
        isOpen = true
        children.dispose(trigger)
    }
}

/// The source of a skip(until:).
@usableFromInline
final class SkipUntilChild<Element>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: SkipUntilJunction<Element>
    @usableFromInline
    let other: ChildDisposer

    @inlinable
    init(_ junction: SkipUntilJunction<Element>, _ other: ChildDisposer) {
        self.junction = junction
        self.other = other
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: SkipUntilChild<Element>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        if junction.isOpen { junction.deliver(element) }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if error != nil || junction.isOpen { return junction.end(error) }
        // Nothing will come any more, and the observer is not told: RxSwift's way.
        junction.children.dispose(disposer)
        junction.children.dispose(other)
    }
}
