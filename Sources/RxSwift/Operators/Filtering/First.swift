extension ObservableType {
    /// The first element, or nil if the source completes without one.
    ///
    ///     source:  --1--2--3--|
    ///     first(): --(1|)
    ///
    /// ![The first element and the end](marble-first)
    ///
    /// The first element ends the subscription to the source. Events are delivered on the sending thread. An error
    /// before the first element is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - [first on reactivex.io](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    @inline(never)
    public __consuming func first() -> Single<Element?> {
        PrimitiveSequence(raw: lift(First()))
    }
}

@usableFromInline
struct First<Element>: LinearOperator {
    @usableFromInline
    typealias Output = Element?

    @inlinable
    init() {}

    @inlinable
    func makeState() -> Bool { false }  // whether an element has been sent

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Output? {
        guard !stage.state else { return nil }
        stage.state = true
        return stage.end(after: element)
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if error == nil, !stage.state { stage.send(nil) }
        return error
    }

    @inlinable
    static var asksWhetherLive: Bool { false }
}
