import RxSwift

extension ObservableType {
    /// The results of `resultSelector`, called with each element and a sequence. The sequence sends the elements of
    /// `right` whose spans overlap the element's span.
    ///
    ///     left:                                             --1-------2------|
    ///     right:                                            ----5----6---7---|
    ///     groupJoin(right, ...), spans of 4 columns, pairs: ----15----26-27--|
    ///
    /// ![Pairs of the elements whose spans overlap](marble-group-join)
    ///
    ///     orders.groupJoin(
    ///         prices, leftDuration: { _ in closing }, rightDuration: { _ in prices },
    ///         resultSelector: { order, prices in prices.map { (order, $0) } }
    ///     )
    ///     .merge()
    ///
    /// Each element of both sequences has a *span*. It begins with the element, and ends when the sequence from
    /// `leftDuration` or `rightDuration` sends an element or completes. The sequence that `resultSelector` receives
    /// begins with the elements of `right` whose spans are open, in order, and completes when the element's span ends.
    /// With `merge()`, as above, the result is the `join` of other libraries.
    ///
    /// Completes when the source has completed and the spans of all its elements have ended; a completion of `right`
    /// has no effect. If a sequence fails or a closure throws, the sequences of all elements and then the result fail
    /// with that error. The sequences may send concurrently; events are delivered one at a time. The thread that sends
    /// an element calls the closures for it, and subscribes to the sequence that ends its span. A sequence with an
    /// observer survives the disposal of the result.
    ///
    /// Pausing: a pause does not reach the sources, because the sequences of the elements are subjects.
    ///
    /// - Parameters:
    ///   - right: the other sequence, subscribed to after this one.
    ///   - leftDuration: called with each element; returns the sequence that ends its span.
    ///   - rightDuration: called with each element of `right`; returns the sequence that ends its span.
    ///   - resultSelector: called with each element and its sequence.
    ///
    /// ## See Also
    ///
    /// - [join on reactivex.io](https://reactivex.io/documentation/operators/join.html)
    @preconcurrency
    public func groupJoin<
        Right: ObservableConvertibleType, LeftEnd: ObservableConvertibleType, RightEnd: ObservableConvertibleType,
        ResultType
    >(
        _ right: Right, leftDuration: @escaping @Sendable (Element) throws -> LeftEnd,
        rightDuration: @escaping @Sendable (Right.Element) throws -> RightEnd,
        resultSelector: @escaping @Sendable (Element, Observable<Right.Element>) throws -> ResultType
    ) -> Observable<ResultType> {
        let (left, right) = (asObservable(), right.asObservable())
        return .coordinated(sendingSequences: { result in
            let spans = Spans<Element, Right.Element, ResultType>(
                result,
                leftDuration: { try leftDuration($0).asObservable().take(1).map { _ in } },
                rightDuration: { try rightDuration($0).asObservable().take(1).map { _ in } }, resultSelector)
            result.subscribe(outside: left, spans.begin, ended: spans.endLeft)
            result.subscribe(
                outside: right, spans.add, ended: { if let error = $0.error { spans.fail(error) } })
        })
    }
}

/// The elements whose spans have not ended.
///
/// A span may end before the thread that owns the gate has handled the span's beginning.
///
/// Guards: only the thread that owns the gate of `result` uses the state. Deliveries may call back into this object.
/// The closures are called outside the gate.
private final class Spans<Left, Right, Output> {
    private final class Span<Content> {
        let content: Content
        var hasEnded = false

        init(_ content: Content) {
            self.content = content
        }
    }

    private let result: Coordination<Output>
    private let leftDuration: (Left) throws -> Observable<Void>
    private let rightDuration: (Right) throws -> Observable<Void>
    private let resultSelector: (Left, Observable<Right>) throws -> Output
    /// The open spans of both sequences, oldest first.
    private var lefts: [Span<PublishSubject<Right>>] = []
    private var rights: [Span<Right>] = []
    private var hasLeftCompleted = false

    init(
        _ result: Coordination<Output>, leftDuration: @escaping (Left) throws -> Observable<Void>,
        rightDuration: @escaping (Right) throws -> Observable<Void>,
        _ resultSelector: @escaping (Left, Observable<Right>) throws -> Output
    ) {
        self.result = result
        self.leftDuration = leftDuration
        self.rightDuration = rightDuration
        self.resultSelector = resultSelector
    }

    // MARK: The thread of one of the sequences

    func begin(_ element: Left, _ source: OutsideSource<Left, Output>) throws {
        guard result.isWanted else { return }
        let span = Span(PublishSubject<Right>())
        let output = try resultSelector(element, result.counted(span.content))
        source.enter((span, output), beginLeft)
        guard result.isWanted else { return }
        watch(try leftDuration(element)) { [self] in
            span.hasEnded = true
            lefts.removeAll { $0 === span }
            span.content.onCompleted()
            endIfFinished()
        }
    }

    func add(_ element: Right, _ source: OutsideSource<Right, Output>) throws {
        let span = Span(element)
        source.enter(span, beginRight)
        guard result.isWanted else { return }
        watch(try rightDuration(element)) { [self] in
            span.hasEnded = true
            rights.removeAll { $0 === span }
        }
    }

    /// Calls `ended` at the completion of `duration`, which sends at most one element.
    private func watch(_ duration: Observable<Void>, _ ended: @escaping () -> Void) {
        result.subscribe(duration) { event in
            switch event {
            case .next: break
            case .error(let error): self.fail(error)
            case .completed: ended()
            }
        }
    }

    // MARK: The thread that owns the gate

    private func beginLeft(_ input: (Span<PublishSubject<Right>>, Output)) {
        guard result.isLive else { return }
        let (span, output) = input
        let earlier = rights
        if !span.hasEnded { lefts.append(span) }
        result.send(.next(output))
        for right in earlier { span.content.onNext(right.content) }
    }

    private func beginRight(_ span: Span<Right>) {
        if !span.hasEnded { rights.append(span) }
        for left in lefts { left.content.onNext(span.content) }
        if result.isLive { return }
        // After the end of the result, `rights` is not read any more, so its elements are released.
        let unused = rights
        rights = []
        withExtendedLifetime(unused) {}
    }

    func endLeft(_ event: Event<Never>) {
        if let error = event.error { return fail(error) }
        hasLeftCompleted = true
        endIfFinished()
    }

    private func endIfFinished() {
        if hasLeftCompleted, lefts.isEmpty { result.end(nil) }
    }

    func fail(_ error: any Error) {
        let failed = lefts
        lefts = []
        for left in failed { left.content.onError(error) }
        result.end(error)
    }
}
