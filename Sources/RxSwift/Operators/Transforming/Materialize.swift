extension ObservableType {
    /// Sends each event as an element, including the terminal event. Then completes.
    ///
    ///     source:        --1-------2-------#
    ///     materialize(): --next(1)-next(2)-(error(e)|)
    ///
    /// ![Events become elements](marble-materialize)
    ///
    /// Events are delivered on the sending thread. The sequence cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - [materialize on reactivex.io](https://reactivex.io/documentation/operators/materialize-dematerialize.html)
    @inlinable
    @inline(never)
    public __consuming func materialize() -> Observable<Event<Element>> {
        lift(Materialize())
    }
}

@usableFromInline
struct Materialize<Element>: LinearOperator {
    @usableFromInline
    typealias Output = Event<Element>

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Output? {
        .next(element)
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        stage.send(Event(end: error))
        return nil
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    /// True because `end` sends an element, and the observer may then make the source send again.
    @inlinable
    static var endsEarly: Bool { true }
}
