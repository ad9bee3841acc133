extension ObservableType {
    /// The elements of the latest of the sequences that `selector` makes of the elements.
    ///
    ///     source:                       --1-----2---|
    ///     flatMapLatest { $0 ──a──b──| }: ----1a---2a--2b--|
    ///
    /// A new inner sequence takes the place of the one before, which is disposed first. Completes once the source and
    /// the latest inner sequence have completed; fails with the source or the latest inner sequence. Inner sequences
    /// may fire from several threads at once; their events are delivered one at a time.
    ///
    /// - Parameter selector: called with each element, on the thread that delivers it. An error it throws ends the
    ///   sequence.
    @inlinable
    @inline(never)
    public __consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        Flatten(asObservable(), selector) { SwitchJunction(&$0) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The elements of the latest of the sequences that this one sends.
    ///
    /// It is ``ObservableType/flatMapLatest(_:)->Observable<Source.Element>`` of the elements themselves.
    @inlinable
    @inline(never)
    public __consuming func switchLatest() -> Observable<Element.Element> {
        Flatten(asObservable(), { $0 }) { SwitchJunction(&$0) }
    }
}

/// Delivers what the latest of its inner sources sends. Its state is the gate's owner's.
@usableFromInline
final class SwitchJunction<Output>: Junction<Output>, FlatteningJunction {
    /// How many inner sources there have been: the number of the latest.
    @usableFromInline
    @exclusivity(unchecked)
    var latest = 0
    /// Whether the latest has not ended.
    @usableFromInline
    @exclusivity(unchecked)
    var isInnerRunning = false
    @usableFromInline
    @exclusivity(unchecked)
    var isOuterRunning = true
    /// The chain of the latest, where it has one and runs.
    @usableFromInline
    @exclusivity(unchecked)
    var inner: ChildDisposer?

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    /// Puts a new inner source in the place of the one before.
    @inlinable
    @inline(__always)
    func add(_ source: Observable<Output>, hasPlace: Bool) {
        latest += 1
        isInnerRunning = true
        if let element = Just.element(of: source) {
            let number = latest
            if inner != nil { replaceInner(by: nil) }
            guard number == latest else { return }
            deliver(element)
            if number == latest { innerCompleted() }
        } else {
            let child = SwitchInner(self, latest)
            children.insert(child.disposer)
            replaceInner(by: child.disposer)
            // Subscribed even where the disposal of the one before has brought a newer one, and with that disposed this
            // one.
            source.subscribe(last: child, child.disposer)
        }
    }

    @usableFromInline
    func replaceInner(by disposer: ChildDisposer?) {
        let old = inner
        inner = disposer
        if let old { children.dispose(old) }
    }

    @usableFromInline
    func innerCompleted() {
        isInnerRunning = false
        if !isOuterRunning { end(nil) }
    }

    @usableFromInline
    func innerEnded(_ number: Int, _ child: ChildDisposer, _ error: (any Error)?) {
        if number == latest { inner = nil }
        children.dispose(child)
        guard number == latest else { return }
        if let error { end(error) } else { innerCompleted() }
    }

    @usableFromInline
    func outerEnded(_ child: ChildDisposer, _ error: (any Error)?) {
        if let error { return end(error) }
        isOuterRunning = false
        children.dispose(child)
        if !isInnerRunning { end(nil) }
    }
}

/// An inner source of a ``SwitchJunction``.
@usableFromInline
final class SwitchInner<Element>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: SwitchJunction<Element>
    @usableFromInline
    let number: Int

    @inlinable
    init(_ junction: SwitchJunction<Element>, _ number: Int) {
        self.junction = junction
        self.number = number
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: SwitchInner<Element>.self).enter(element)
        }
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
        junction.innerEnded(number, disposer, error)
    }
}
