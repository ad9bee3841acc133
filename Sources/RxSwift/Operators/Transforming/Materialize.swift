extension ObservableType {
    /// Each event as an element, the terminal one included; completes after it.
    ///
    ///     source:        --1-------2-------#
    ///     materialize(): --next(1)-next(2)-(error(e)|)
    ///
    /// ![Events become elements](marble-materialize)
    ///
    /// Events stay on the thread on which they come: an error becomes an element, and so nothing fails.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below.
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

    /// It ends no sequence, but the end that it sends is an element: who takes it may make the rule above go on.
    @inlinable
    static var endsEarly: Bool { true }
}
