public import CRxCore

/// A sequence of one element that is known before it is subscribed to, and ends at once: who meets one may
/// save the subscription.
@usableFromInline
final class Scalar<Element>: Observable<Element>, @unchecked Sendable {  // immutable, but for who has it alone
    @usableFromInline
    @exclusivity(unchecked)
    var element: Element

    @inlinable
    init(_ element: Element) {
        self.element = element
        super.init { base, assembly in
            // Unmanaged, because the two calls would count the sink once more each.
            let sink = Unmanaged.passRetained(assembly.takeTop(for: Element.self))
            sink._withUnsafeGuaranteedRef {
                $0.push($0, unsafeDowncast(base, to: Scalar<Element>.self).element)
                $0.end(nil)
            }
            sink.release()
            return nil
        }
    }

    /// The one that the calling thread has put aside, or a new one.
    @inlinable
    @inline(__always)
    static func make(_ element: Element) -> Scalar<Element> {
        guard _isPOD(Element.self), let spare = SpareScalar.take(Scalar<Element>.self) else { return Scalar(element) }
        let scalar = unsafeDowncast(spare, to: Scalar<Element>.self)
        scalar.element = element
        return scalar
    }

    /// Puts a scalar that nobody else has aside for the next one of the calling thread: most of what `just` costs in a
    /// `flatMap` is memory. Only where its element is bits alone, for that is kept with it.
    ///
    /// - Returns: the scalar, where it is not one to put aside.
    @inlinable
    @inline(__always)
    static func putAside(_ scalar: consuming Observable<Element>) -> Observable<Element>? {
        guard _isPOD(Element.self) else { return scalar }
        SpareScalar.put(consume scalar)
        return nil
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    /// The element of `observable`, if it is a `Scalar`: who knows it needs neither a sink nor a chain for it.
    @inlinable
    @inline(__always)
    static func element(of observable: Observable<Element>) -> Element? {
        guard type(of: observable) == Scalar<Element>.self else { return nil }
        return unsafeDowncast(observable, to: Scalar<Element>.self).element
    }

    /// Delivers to a subscriber at once, if `observable` is a `Scalar`: it ends before there is anything to dispose of.
    ///
    /// For a function that is out of line, because a client's optimizer may know the exact class of `observable`, and
    /// then compiles the downcast to another one (6.3.1 crashes there).
    @inlinable
    @inline(__always)
    static func deliver(
        from observable: Observable<Element>, _ onNext: ((Element) -> Void)?, _ onCompleted: (() -> Void)?,
        _ onDisposed: (() -> Void)?
    ) -> Bool {
        guard let element = element(of: observable) else { return false }
        _ = Hooks.recordedErrorHandler()  // Who counts subscriptions there counts this one.
        if crx_watch_any(CRX_WATCH_COUNTERS) { SubscriptionCounts.addScalar() }
        let isCounted = Resources.checkIn()
        onNext?(element)
        onCompleted?()
        onDisposed?()
        Resources.checkOut(isCounted)
        if _isPOD(Element.self) { SpareScalar.keep(observable) }
        return true
    }
}

/// What a thread has put aside: a ``Scalar``, which becomes another one once nobody else has it who would see that.
@usableFromInline
enum SpareScalar {
    /// Takes out what the calling thread has put aside, if it is of that type and nobody else's.
    @inlinable
    @inline(__always)
    static func take(_ type: ObservableBase.Type) -> ObservableBase? {
        guard let spare = crx_thread_spare() else { return nil }
        let scalar = Unmanaged<ObservableBase>.fromOpaque(spare)
        // The thread has asked whether it was single when it put it aside, so it knows how that is counted.
        guard scalar._withUnsafeGuaranteedRef({ Swift.type(of: $0) == type }),
            ReferenceCounts.of(spare) == crx_thread_spare_single()
        else { return nil }
        crx_thread_take_spare()
        return scalar.takeRetainedValue()
    }

    /// Puts a scalar aside that is handed over, unless others have it as well.
    @usableFromInline
    static func put(_ scalar: consuming ObservableBase) {
        let spare = Unmanaged.passRetained(consume scalar)
        if ReferenceCounts.isSingle(spare) { putAside(spare) } else { spare.release() }
    }

    /// Puts a scalar aside that only its subscriber has, who as a rule lets it go once it has been delivered.
    @usableFromInline
    static func keep(_ scalar: ObservableBase) {
        let spare = Unmanaged.passUnretained(scalar)
        if ReferenceCounts.isSingle(spare) { putAside(spare.retain()) }
    }

    private static func putAside(_ spare: Unmanaged<ObservableBase>) {
        if let other = crx_thread_put_spare(spare.toOpaque()) { Unmanaged<ObservableBase>.fromOpaque(other).release() }
    }
}

extension Observable {
    /// This sequence; in place of one element that would come at once, a loop of one, which can be paused.
    @usableFromInline
    final var pausable: Observable<Element> {
        Scalar.element(of: self).map { From(CollectionOfOne($0), CurrentThreadScheduler.instance) } ?? self
    }
}
