extension ObservableType {
    /// The only element of the source.
    ///
    ///     source:   --1-----|
    ///     single(): --1-----|
    ///
    /// ![The only element, sent at once](marble-single)
    ///
    ///     source:   --1--2--|
    ///     single(): --1--#
    ///
    /// ![An error at the second element](marble-single-more)
    ///
    /// Fails with ``RxError/noElements`` if the source completes without an element, and with
    /// ``RxError/moreThanOneElement`` at the second element. The first element is sent at once, on the sending thread.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - [first on reactivex.io](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    @inline(never)
    public __consuming func single() -> Observable<Element> {
        lift(OnlyElement(nil))
    }

    /// The only element that satisfies `predicate`.
    ///
    ///     orders.single { $0.id == wanted }
    ///
    /// Sends the first match at once. Fails like ``single()``.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift(OnlyElement(predicate))
    }
}

@usableFromInline
struct OnlyElement<Input>: FilteringOperator {
    @usableFromInline
    let predicate: ((Input) throws -> Bool)?

    @inlinable
    init(_ predicate: ((Input) throws -> Bool)?) {
        self.predicate = predicate
    }

    @inlinable
    func makeState() -> Bool { false }

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool {
        if let predicate, try !predicate(element) { return false }
        if stage.state { throw RxError.moreThanOneElement }
        stage.state = true
        return true
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        error ?? (stage.state ? nil : RxError.noElements)
    }
}
