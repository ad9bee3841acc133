extension ObservableType {
    /// A sequence of one element.
    ///
    ///     just(1): 1|
    ///
    /// Both events come before `subscribe` returns, on the subscribing thread.
    @inlinable
    @inline(never)
    public static func just(_ element: Element) -> Observable<Element> {
        Just(element)
    }
}

@usableFromInline
final class Just<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let element: Element

    @inlinable
    init(_ element: Element) {
        self.element = element
        super.init { base, assembly in
            // Unmanaged, because the two calls would count the sink once more each.
            let sink = Unmanaged.passRetained(assembly.takeTop(for: Element.self))
            sink._withUnsafeGuaranteedRef {
                $0.push($0, unsafeDowncast(base, to: Just<Element>.self).element)
                $0.end(nil)
            }
            sink.release()
            return nil
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    /// The element of `observable`, if it is a `Just`: who knows it needs neither inner sink nor chain for it.
    @inlinable
    @inline(__always)
    static func element(of observable: Observable<Element>) -> Element? {
        guard type(of: observable) == Just<Element>.self else { return nil }
        return unsafeDowncast(observable, to: Just<Element>.self).element
    }

    /// Delivers to a subscriber at once, if `observable` is a `Just`: it ends before there is anything to dispose of.
    ///
    /// Out of line, because a client's optimizer may know the exact class of `observable`, and then compiles the
    /// downcast to another one (6.3.1 crashes there).
    @inlinable
    @inline(never)
    static func deliver(
        from observable: Observable<Element>, _ onNext: ((Element) -> Void)?, _ onCompleted: (() -> Void)?,
        _ onDisposed: (() -> Void)?
    ) -> Bool {
        guard let element = element(of: observable) else { return false }
        _ = Hooks.recordedErrorHandler()  // Who counts subscriptions there counts this one.
        let isCounted = Resources.checkIn()
        onNext?(element)
        onCompleted?()
        onDisposed?()
        Resources.checkOut(isCounted)
        return true
    }
}
