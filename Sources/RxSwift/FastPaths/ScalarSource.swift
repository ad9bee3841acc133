public import CRxCore

/// A sequence that sends one known element and completes. Operators that flatten sequences read the element without a
/// subscription.
@usableFromInline
final class Scalar<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let element: Element

    @inlinable
    init(_ element: Element) {
        self.element = element
        super.init { base, context in
            // Unmanaged, so that the two calls below do not each retain the sink.
            let sink = Unmanaged.passRetained(context.takeTop(for: Element.self))
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

    @inlinable
    @inline(__always)
    static func element(of observable: Observable<Element>) -> Element? {
        FastPaths.areUsed ? known(in: observable) : nil
    }

    @inlinable
    @inline(__always)
    static func known(in observable: Observable<Element>) -> Element? {
        guard type(of: observable) == Scalar<Element>.self else { return nil }
        return unsafeDowncast(observable, to: Scalar<Element>.self).element
    }

    /// Delivers the element and the end of a `Scalar` to a subscriber's closures. Returns false for other observables.
    ///
    /// Call only from a function that is not inlined. Otherwise, if the optimizer knows that `observable` is of another
    /// class, it crashes at the impossible downcast (Swift 6.3.1).
    @inlinable
    @inline(__always)
    static func deliver(
        from observable: Observable<Element>, _ onNext: ((Element) -> Void)?, _ onCompleted: (() -> Void)?,
        _ onDisposed: (() -> Void)?
    ) -> Bool {
        guard let element = element(of: observable) else { return false }
        _ = Hooks.recordedErrorHandler()  // Calls the call stack hook, as other subscriptions do.
        if crx_watch_any(CRX_WATCH_COUNTERS) { SubscriptionCounts.addScalar() }
        let isCounted = Resources.checkIn()
        onNext?(element)
        onCompleted?()
        onDisposed?()
        Resources.checkOut(isCounted)
        return true
    }
}
