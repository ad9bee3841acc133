extension ObservableType {
    /// Drops elements as long as they satisfy `predicate`. Then sends all elements.
    ///
    ///     source:                  --1--2--3--1--|
    ///     skip(while: { $0 < 3 }): --------3--1--|
    ///
    /// ![The elements from the first 3 on](marble-skip-while)
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called until it returns false, on the delivering thread. If it throws, the sequence
    ///   fails.
    ///
    /// ## See Also
    ///
    /// - [skipwhile on reactivex.io](https://reactivex.io/documentation/operators/skipwhile.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift(SkipWhile(predicate))
    }

    /// Like ``skip(while:)``.
    @available(*, deprecated, renamed: "skip(while:)")
    @inlinable
    @inline(never)
    @preconcurrency
    public func skipWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        skip(while: predicate)
    }
}

@usableFromInline
struct SkipWhile<Input>: FilteringOperator {
    @usableFromInline
    let predicate: (Input) throws -> Bool

    @inlinable
    init(_ predicate: @escaping (Input) throws -> Bool) {
        self.predicate = predicate
    }

    @inlinable
    func makeState() -> Bool { true }

    @inlinable
    @inline(__always)
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool {
        if stage.state {
            guard stage.isLive else { return false }
            if try predicate(element) { return false }
            stage.state = false
        }
        return true
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
