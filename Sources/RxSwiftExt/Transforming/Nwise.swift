import RxSwift

extension ObservableType {
    /// Each element together with the `n - 1` before it.
    ///
    ///     source:   --1--2--3-------4-------|
    ///     nwise(3): --------[1,2,3]-[2,3,4]-|
    ///
    /// Nothing is sent before the `n`th element. Each subscription collects on its own, and keeps `n` elements until it ends.
    ///
    /// - Parameter n: how many; it must be greater than 1. A release build takes less for 1.
    @inlinable
    @inline(never)
    public func nwise(_ n: Int) -> Observable<[Element]> {
        if n < 2 { rxFatalErrorInDebug("n must be greater than 1 (nwise, n: \(n))") }
        let source = asObservable()
        return Observable<[Element]>.deferred {
            let window = SlidingWindow<Element>(max(n, 1))
            return source.compactMap { window.slide(over: $0) }
        }
    }

    /// Each element together with the one before it.
    ///
    ///     source:     --1--2------3------|
    ///     pairwise(): -----(1,2)--(2,3)--|
    ///
    /// Each subscription has pairs of its own, and keeps one element until it ends.
    @inlinable
    @inline(never)
    public func pairwise() -> Observable<(Element, Element)> {
        let source = asObservable()
        return Observable<(Element, Element)>.deferred {
            let last = LastElement<Element>()
            return source.compactMap { element in last.replace(by: element).map { ($0, element) } }
        }
    }
}

/// The last elements of one subscription to a nwise.
@usableFromInline
final class SlidingWindow<Element> {
    @usableFromInline
    let size: Int
    /// The last elements, the oldest first. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var elements: [Element] = []

    @inlinable
    init(_ size: Int) {
        self.size = size
    }

    /// Takes an element, and returns the last ones once there are enough of them.
    @inlinable
    func slide(over element: Element) -> [Element]? {
        // Released after the change: its `deinit` may come back to here.
        var evicted: Element?
        if elements.count == size { evicted = elements.removeFirst() }
        defer { withExtendedLifetime(evicted) {} }
        elements.append(element)
        return elements.count == size ? elements : nil
    }
}

/// The last element of one subscription to a pairwise.
@usableFromInline
final class LastElement<Element> {
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var element: Element?

    @inlinable
    init() {}

    /// Keeps an element, and returns the one before it.
    @inlinable
    @inline(__always)
    func replace(by element: Element) -> Element? {
        let last = self.element
        self.element = element
        return last
    }
}
