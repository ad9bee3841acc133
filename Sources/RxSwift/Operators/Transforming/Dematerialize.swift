extension ObservableType where Element: EventConvertible {
    /// The events that the elements represent.
    ///
    ///     source:          --next(1)--completed--|
    ///     dematerialize(): --1--------|
    ///
    /// ![Elements that are events become events](marble-dematerialize)
    ///
    /// The first element that represents a terminal event ends the result. Events are delivered on the sending thread.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - [materialize on reactivex.io](https://reactivex.io/documentation/operators/materialize-dematerialize.html)
    @inlinable
    @inline(never)
    public __consuming func dematerialize() -> Observable<Element.Element> {
        lift(Dematerialize())
    }
}

@usableFromInline
struct Dematerialize<Input: EventConvertible>: LinearOperator {
    @usableFromInline
    typealias Output = Input.Element

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Output? {
        switch element.event {
        case .next(let element): element
        case .error(let error): stage.end(error)
        case .completed: stage.end()
        }
    }
}
