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
        guard _isPOD(Element.self), let spare = crx_thread_spare() else { return Scalar(element) }
        let scalar = Unmanaged<ObservableBase>.fromOpaque(spare)
        guard scalar._withUnsafeGuaranteedRef({ type(of: $0) == Scalar<Element>.self }) else { return Scalar(element) }
        crx_thread_take_spare()
        let again = unsafeDowncast(scalar.takeRetainedValue(), to: Scalar<Element>.self)
        again.element = element
        return again
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
        return true
    }
}

/// What a thread has put aside: a ``Scalar`` whose only reference it has, so that nobody sees it become another one.
@usableFromInline
enum SpareScalar {
    @usableFromInline
    static func put(_ scalar: consuming ObservableBase) {
        let spare = Unmanaged.passRetained(consume scalar)
        guard counts(of: spare.toOpaque()) == ofOneReference else { return spare.release() }
        let other = crx_thread_put_spare(spare.toOpaque()) { Unmanaged<ObservableBase>.fromOpaque($0).release() }
        if let other { Unmanaged<ObservableBase>.fromOpaque(other).release() }
    }

    /// How many references there are to an object, of all kinds, at one moment: `isKnownUniquelyReferenced` does not
    /// know of weak and unowned ones. It is the word that Swift has behind the pointer to the type, only compared.
    private static func counts(of object: UnsafeMutableRawPointer) -> UInt {
        crx_flag_load_acquire((object + MemoryLayout<UInt>.stride).assumingMemoryBound(to: crx_flag.self))
    }

    private static let ofOneReference: UInt = {
        let object = Unmanaged.passRetained(makeObject())
        defer { object.release() }
        return counts(of: object.toOpaque())
    }()

    // Out of line, so that it is made on the heap.
    @inline(never)
    private static func makeObject() -> AnyObject { Mark() }

    private final class Mark {}
}

extension Observable {
    /// This sequence; in place of one element that would come at once, a loop of one, which can be paused.
    @usableFromInline
    final var pausable: Observable<Element> {
        Scalar.element(of: self).map { From(CollectionOfOne($0), CurrentThreadScheduler.instance) } ?? self
    }
}
