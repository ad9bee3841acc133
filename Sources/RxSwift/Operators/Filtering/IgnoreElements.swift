extension ObservableType {
    /// Only the terminal event.
    ///
    ///     source:           --1--2--|
    ///     ignoreElements(): --------|
    ///
    /// ![Only the end passes](marble-ignore-elements)
    ///
    /// The error or the completion is delivered on the thread that ends the source.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// ## See Also
    ///
    /// - [ignoreelements on reactivex.io](https://reactivex.io/documentation/operators/ignoreelements.html)
    public func ignoreElements() -> Observable<Never> {
        lift(IgnoreElements())
    }
}

private struct IgnoreElements<Input>: LinearOperator {
    typealias Output = Never

    func next(_: Input, _: borrowing LinearStage<Self>) -> Never? { nil }

    static var asksWhetherLive: Bool { false }

    static var endsEarly: Bool { false }
}
