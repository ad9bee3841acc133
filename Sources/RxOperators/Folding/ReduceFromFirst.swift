import RxSwift

extension ObservableType {
    /// Accumulates all elements, beginning with the first one, and sends the result when the source completes.
    ///
    ///     source:                 --1--2--3--|
    ///     reduce(accumulator: +): -----------(6|)
    ///
    /// ![One sum, when the source completes](marble-reduce-from-first)
    ///
    /// A source without elements gives no result. The result is delivered on the thread that completes the source. An
    /// error drops the result so far.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter accumulator: called with the previous result and each element except the first. If it throws, the
    ///   sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func reduce(
        accumulator: @escaping @Sendable (Element, Element) throws -> Element
    ) -> Observable<Element> {
        lift(ReduceFromFirst(accumulator))
    }
}

@usableFromInline
struct ReduceFromFirst<Element>: LinearOperator {
    @usableFromInline
    let accumulator: (Element, Element) throws -> Element

    @inlinable
    init(_ accumulator: @escaping (Element, Element) throws -> Element) {
        self.accumulator = accumulator
    }

    @inlinable
    func makeState() -> Element? { nil }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) throws -> Element? {
        let result = stage.state
        stage.state = try result.map { try accumulator($0, element) } ?? element
        return nil
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let result = stage.exchange(nil)
        if error == nil, let result { stage.send(result) }
        return error
    }

    @inlinable
    static var endsEarly: Bool { false }
}
