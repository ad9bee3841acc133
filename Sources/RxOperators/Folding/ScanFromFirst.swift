import RxSwift

extension ObservableType {
    /// Accumulates the elements, beginning with the first one, and sends each result.
    ///
    ///     source:               --1--2--3--|
    ///     scan(accumulator: +): --1--3--6--|
    ///
    /// ![The sum so far at each element](marble-scan-from-first)
    ///
    /// The first element is sent unchanged. Events are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter accumulator: called with the previous result and each element except the first. If it throws, the
    ///   sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func scan(
        accumulator: @escaping @Sendable (Element, Element) throws -> Element
    ) -> Observable<Element> {
        lift(ScanFromFirst(accumulator))
    }
}

@usableFromInline
struct ScanFromFirst<Element>: LinearOperator {
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
        let last = stage.state
        let result = try last.map { try accumulator($0, element) } ?? element
        stage.state = result
        return result
    }

    @inlinable
    static var endsEarly: Bool { false }
}
