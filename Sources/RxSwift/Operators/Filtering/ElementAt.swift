extension ObservableType {
    /// Sends the element at `index`, then completes.
    ///
    ///     source:         --a--b--c--|
    ///     element(at: 1): -----(b|)
    ///
    /// ![The element at index 1](marble-element-at)
    ///
    /// If the source completes before that element, the result fails with ``RxError/argumentOutOfRange``. Events are
    /// delivered on the sending thread.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter index: counted from 0; it must not be negative.
    ///
    /// ## See Also
    ///
    /// - [elementat on reactivex.io](https://reactivex.io/documentation/operators/elementat.html)
    @inlinable
    @inline(never)
    public __consuming func element(at index: Int) -> Observable<Element> {
        lift(ElementAt(index))
    }

    /// Like ``element(at:)``.
    @available(*, deprecated, renamed: "element(at:)")
    @inlinable
    @inline(never)
    public func elementAt(_ index: Int) -> Observable<Element> {
        element(at: index)
    }
}

@usableFromInline
struct ElementAt<Element>: LinearOperator {
    @usableFromInline
    let index: Int

    @inlinable
    init(_ index: Int) {
        if index < 0 { rxFatalError("index can't be negative", operator: "element", argument: "at", value: index) }
        self.index = index
    }

    @inlinable
    func makeState() -> Int { index }  // the number of elements still to drop

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Element? {
        // If the observer makes the source send during this delivery, that element is sent too, as in RxSwift.
        guard stage.state > 0 else { return stage.end(after: element) }
        stage.state -= 1
        return nil
    }

    @inlinable
    func end(_ error: (any Error)?, _: borrowing LinearStage<Self>) -> (any Error)? {
        error ?? RxError.argumentOutOfRange
    }

    @inlinable
    static var asksWhetherLive: Bool { false }
}
