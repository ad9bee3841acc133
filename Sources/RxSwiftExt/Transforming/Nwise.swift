import RxSwift

extension ObservableType {
    /// Each element together with the `n - 1` before it.
    ///
    ///     source:   --1--2--3-------4-------|
    ///     nwise(3): --------[1,2,3]-[2,3,4]-|
    ///
    /// ![Each element with the two before it](marble-nwise)
    ///
    /// Nothing is sent before the `n`th element. Each subscription collects on its own, and keeps `n` elements until it
    /// ends.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameter n: how many; it must be greater than 1. A release build takes less for 1.
    @inlinable
    @inline(never)
    public func nwise(_ n: Int) -> Observable<[Element]> {
        if n < 2 { rxFatalErrorInDebug("n must be greater than 1 (nwise, n: \(n))") }
        return lift(Nwise(max(n, 1)))
    }

    /// Each element together with the one before it.
    ///
    ///     source:     --1--2------3------|
    ///     pairwise(): -----(1,2)--(2,3)--|
    ///
    /// ![Each element with the one before it](marble-pairwise)
    ///
    /// Each subscription has pairs of its own, and keeps one element until it ends. Events stay on the thread on which
    /// they come; an error is handed on.
    ///
    /// Pausing: the source pauses with what is below.
    @inlinable
    @inline(never)
    public func pairwise() -> Observable<(Element, Element)> {
        lift(Pairwise())
    }
}

/// Its state is the last elements, the oldest first.
@usableFromInline
struct Nwise<Element>: LinearOperator {
    @usableFromInline
    typealias Output = [Element]

    @usableFromInline
    let size: Int

    @inlinable
    init(_ size: Int) {
        self.size = size
    }

    @inlinable
    func makeState() -> [Element] { [] }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> [Element]? {
        // What is evicted is released after the change, and before the delivery: its `deinit` may come back to here.
        let window = withExtendedLifetime(stage.state.count == size ? stage.state.removeFirst() : nil) {
            stage.state.append(element)
            return stage.state
        }
        return window.count == size ? window : nil
    }

    @inlinable
    static var endsEarly: Bool { false }
}

/// Its state is the last element.
@usableFromInline
struct Pairwise<Element>: LinearOperator {
    @usableFromInline
    typealias Output = (Element, Element)

    @inlinable
    init() {}

    @inlinable
    func makeState() -> Element? { nil }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Output? {
        stage.exchange(element).map { ($0, element) }
    }

    @inlinable
    static var endsEarly: Bool { false }
}
