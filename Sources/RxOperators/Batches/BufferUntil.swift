import RxSwift

extension ObservableType {
    /// Arrays of successive elements. An element that satisfies `predicate` is the last of its array.
    ///
    ///     source:                     --1--2--0--------3--|
    ///     buffer(until: { $0 == 0 }): --------[1,2,0]-----([3]|)
    ///
    /// ![Arrays that end with a zero](marble-buffer-until)
    ///
    /// A completion sends the incomplete array; an error drops it. Arrays are delivered on the thread that sends their
    /// last element or completes the source. The size of an array has no bound.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called with each element. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func buffer(
        until predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<[Element]> {
        lift(BufferRuns(predicate, endsArray: true))
    }

    /// Arrays of successive elements that satisfy `predicate`. Other elements end an array and are dropped.
    ///
    ///     source:                    --1--2--0--------3--|
    ///     buffer(while: { $0 > 0 }): --------[1,2]-------([3]|)
    ///
    /// ![Arrays between the zeros](marble-buffer-while)
    ///
    /// No array is empty. An array is delivered on the thread whose event ends it. Otherwise like ``buffer(until:)``.
    ///
    /// - Parameter predicate: called with each element. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func buffer(
        while predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<[Element]> {
        lift(BufferRuns(predicate, endsArray: false))
    }
}

@usableFromInline
struct BufferRuns<Input>: LinearOperator {
    @usableFromInline
    typealias Output = [Input]

    @usableFromInline
    let predicate: (Input) throws -> Bool
    /// True for `buffer(until:)`: an element that satisfies the predicate is the last of its array. False for
    /// `buffer(while:)`: an element that does not satisfy the predicate ends the array and is dropped.
    @usableFromInline
    let endsArray: Bool

    @inlinable
    init(_ predicate: @escaping (Input) throws -> Bool, endsArray: Bool) {
        self.predicate = predicate
        self.endsArray = endsArray
    }

    @inlinable
    func makeState() -> [Input] { [] }

    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> [Input]? {
        let isMatch = try predicate(element)
        if endsArray || isMatch { stage.state.append(element) }
        return isMatch == endsArray && !stage.state.isEmpty ? stage.exchange([]) : nil
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let rest = stage.exchange([])
        if error == nil, !rest.isEmpty { stage.send(rest) }
        return error
    }

    @inlinable
    static var endsEarly: Bool { false }
}
