import RxSwift

extension ObservableType {
    /// Each element together with the `n - 1` elements before it.
    ///
    ///     source:   --1--2--3-------4-------|
    ///     nwise(3): --------[1,2,3]-[2,3,4]-|
    ///
    /// ![Each element with the two before it](marble-nwise)
    ///
    /// Nothing is sent before the `n`th element. Each subscription keeps `n` elements until its end.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter n: the size of each array, at least 2. In a release build, a smaller number counts as 1.
    @inlinable
    @inline(never)
    public func nwise(_ n: Int) -> Observable<[Element]> {
        if n < 2 { rxFatalErrorInDebug("n must be greater than 1 (nwise, n: \(n))") }
        return lift(Nwise(max(n, 1)))
    }

    /// Each element together with the previous element.
    ///
    ///     source:     --1--2------3------|
    ///     pairwise(): -----(1,2)--(2,3)--|
    ///
    /// ![Each element with the one before it](marble-pairwise)
    ///
    /// Each subscription keeps one element until its end. Events are delivered on the sending thread; an error is
    /// passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func pairwise() -> Observable<(Element, Element)> {
        lift(Pairwise())
    }
}

/// Sends the last `size` elements, oldest first.
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
        // The oldest element is released after `state` has changed and before the delivery, because its `deinit` may
        // call back into this object.
        let window = withExtendedLifetime(stage.state.count == size ? stage.state.removeFirst() : nil) {
            stage.state.append(element)
            return stage.state
        }
        return window.count == size ? window : nil
    }

    @inlinable
    static var endsEarly: Bool { false }
}

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
