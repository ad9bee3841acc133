extension ObservableType {
    /// Drops the first `count` elements.
    ///
    ///     source:  --1--2--3--|
    ///     skip(2): --------3--|
    ///
    /// ![All but the first two elements](marble-skip)
    ///
    /// Events are delivered on the sending thread. An error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter count: if it is 0 or negative, no element is dropped.
    ///
    /// ## See Also
    ///
    /// - [skip on reactivex.io](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    @inline(never)
    public __consuming func skip(_ count: Int) -> Observable<Element> {
        lift(Skip(count))
    }
}

@usableFromInline
struct Skip<Input>: FilteringOperator {
    @usableFromInline
    let count: Int

    @inlinable
    init(_ count: Int) {
        self.count = count
    }

    @inlinable
    func makeState() -> Int { count }

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Bool {
        guard stage.state > 0 else { return true }
        stage.state -= 1
        return false
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
