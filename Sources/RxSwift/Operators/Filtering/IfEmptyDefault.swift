extension ObservableType {
    /// The elements of the source or, if the source completes without an element, `default`.
    ///
    ///     source:              -----|
    ///     ifEmpty(default: 7): -----(7|)
    ///
    /// ![A default element, because the source is empty](marble-if-empty-default)
    ///
    /// `default` is sent on the thread that completes the source; an error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - ``ifEmpty(switchTo:)``
    /// - [defaultifempty on reactivex.io](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    @inline(never)
    public __consuming func ifEmpty(default: Element) -> Observable<Element> {
        lift(IfEmptyDefault(`default`))
    }
}

@usableFromInline
struct IfEmptyDefault<Input>: FilteringOperator {
    @usableFromInline
    let element: Input

    @inlinable
    init(_ element: Input) {
        self.element = element
    }

    @inlinable
    func makeState() -> Bool { true }  // whether no element has been sent

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Bool {
        stage.state = false
        return true
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if error == nil, stage.state { stage.send(element) }
        return error
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
