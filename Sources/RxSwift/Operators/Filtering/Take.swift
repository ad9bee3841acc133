extension ObservableType {
    /// Sends the first `count` elements, then completes.
    ///
    ///     source:  --1--2--3--|
    ///     take(2): --1--(2|)
    ///
    /// ![The first two elements, and the end with the second](marble-take)
    ///
    /// The last of these elements ends the subscription to the source. If `count` is 0, the source is not subscribed
    /// to. Events are delivered on the sending thread.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter count: must not be negative.
    ///
    /// ## See Also
    ///
    /// - [take on reactivex.io](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    @inline(never)
    public __consuming func take(_ count: Int) -> Observable<Element> {
        count == 0 ? .empty() : lift(Take(count))
    }
}

@usableFromInline
struct Take<Input>: FilteringOperator {
    @usableFromInline
    let count: Int

    @inlinable
    init(_ count: Int) {
        if count < 0 { rxFatalError("count can't be negative", operator: "take", argument: "count", value: count) }
        self.count = count
    }

    @inlinable
    func makeState() -> Int { count }

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Bool {
        guard stage.state > 0 else { return false }
        stage.state -= 1
        // `state` changes before the delivery. If the observer makes the source send during the delivery, that element
        // is dropped.
        guard stage.state == 0 else { return true }
        stage.end(after: element)
        return false
    }

    @inlinable
    static var asksWhetherLive: Bool { false }
}
