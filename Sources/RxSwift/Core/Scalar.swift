public import CRxCore

/// A sequence of one known element that completes at once. Operators that flatten read the element and skip the
/// subscription.
@usableFromInline
final class Scalar<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let element: Element

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

extension Observable {
    /// This sequence; in place of one element that would come at once, a loop of one, which can be paused.
    @usableFromInline
    final var pausable: Observable<Element> {
        Scalar.element(of: self).map { From(CollectionOfOne($0), CurrentThreadScheduler.instance) } ?? self
    }
}
