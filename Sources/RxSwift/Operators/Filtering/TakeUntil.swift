extension ObservableType {
    /// The elements until `other` sends one.
    ///
    ///     source:            --1--2--3--4--|
    ///     other:             -------0---
    ///     take(until: other): --1--2-|
    ///
    /// Completes with the first element of `other`, whose completion changes nothing; fails with whichever of the two
    /// fails first. `other` is subscribed first. The two may fire from different threads at once; events are delivered
    /// one at a time.
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
            let junction = TakeUntilJunction<Element>(&assembly)
            let child = PassingChild(junction)
            let other = TriggerChild<Other, TakeUntilJunction<Element>>(junction)
            // Listed in the order of disposal, subscribed in the other.
            junction.children.insert(child.disposer)
            junction.children.insert(other.disposer)
            me.other.subscribe(last: other, other.disposer)
            me.source.subscribe(last: child, child.disposer)
            return nil
        }
    }
}

@usableFromInline
final class TakeUntilJunction<Element>: Junction<Element>, PassingJunction, TriggeredJunction {
    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @usableFromInline
    func ended(_: ChildDisposer, _ error: (any Error)?) {
        end(error)
    }

    @inlinable
    func triggered(by _: ChildDisposer) {
        end(nil)
    }
}
