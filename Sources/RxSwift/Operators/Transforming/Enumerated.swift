extension ObservableType {
    /// Each element with its index, starting at 0.
    ///
    ///     source:       --a------b------|
    ///     enumerated(): --(0,a)--(1,b)--|
    ///
    /// ![Each element with its position](marble-enumerated)
    ///
    /// Events are delivered on the sending thread. An error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public __consuming func enumerated() -> Observable<(index: Int, element: Element)> {
        lift(Enumerated())
    }
}

@usableFromInline
struct Enumerated<Element>: LinearOperator {
    @usableFromInline
    typealias Output = (index: Int, element: Element)

    @inlinable
    init() {}

    @inlinable
    func makeState() -> Int { 0 }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Output? {
        let index = stage.state
        stage.state = index &+ 1
        return (index: index, element: element)
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
