extension ObservableType {
    /// Leaves the first `count` elements out.
    ///
    ///     source:  --1--2--3--|
    ///     skip(2): --------3--|
    ///
    /// ![All but the first two elements](marble-skip)
    ///
    /// Events stay on the thread on which they come; an error is handed on, whatever has come before.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below.
    ///
    /// - Parameter count: nothing is left out where it is 0 or less.
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

/// Its state is how many elements are still left out.
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
