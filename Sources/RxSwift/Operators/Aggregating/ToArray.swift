extension ObservableType {
    /// All elements in one array, sent when the source completes.
    ///
    ///     source:    --1--2--3--|
    ///     toArray(): -----------([1, 2, 3]|)
    ///
    /// ![All elements in one array, when the source completes](marble-to-array)
    ///
    /// The array is delivered on the thread that completes the source. An error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused.
    ///
    /// ## See Also
    ///
    /// - ``reduce(_:accumulator:)``
    /// - [to on reactivex.io](https://reactivex.io/documentation/operators/to.html)
    @inlinable
    @inline(never)
    public __consuming func toArray() -> Single<[Element]> {
        PrimitiveSequence(raw: lift(ToArray()))
    }
}

@usableFromInline
struct ToArray<Element>: LinearOperator {
    @usableFromInline
    typealias Output = [Element]

    @inlinable
    init() {}

    @inlinable
    func makeState() -> [Element] { [] }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Output? {
        stage.state.append(element)
        return nil
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let elements = stage.exchange([])
        if error == nil { stage.send(elements) }
        return error
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
