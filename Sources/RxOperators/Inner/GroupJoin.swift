import RxSwift

extension ObservableType {
    /// A result for each element, made from the element and a sequence of the elements of `right` whose spans overlap
    /// its own.
    ///
    ///     orders.groupJoin(
    ///         prices, leftDuration: { _ in closing }, rightDuration: { _ in prices },
    ///         resultSelector: { order, prices in prices.map { (order, $0) } }
    ///     )
    ///     .merge()
    ///
    /// The span of an element begins with the element, and ends when the sequence that its duration selector returns
    /// sends or completes. The sequence of an element first sends the elements of `right` whose spans have begun, in
    /// order, and completes with the element's span. With `merge()`, as above, this is the `join` of other libraries.
    ///
    /// Completes when this sequence has completed and all its spans have ended. An error of one of the sequences, or of
    /// a closure, ends the sequences of all elements and then the result. The sequences may send from several threads
    /// at once; events are delivered one at a time. The delivering thread also calls the closures for elements of other
    /// threads. A sequence with an observer continues after the result has been disposed of.
    ///
    /// Pausing: a pause does not reach the sources, because the sequences of the elements are subjects, which cannot be
    /// paused.
    ///
    /// - Parameters:
    ///   - right: the other sequence, subscribed to second.
    ///   - leftDuration: called with each element; the returned sequence ends its span.
    ///   - rightDuration: called with each element of `right`; the returned sequence ends its span.
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
            result.subscribe(left, spans.takeLeft)
            result.subscribe(right, spans.takeRight)
        })
    }
}

/// One subscription to a groupJoin: the elements whose spans have not ended.
///
/// Guards: all state belongs to the thread that is within `result`. Its deliveries may call back into this object.
private final class Spans<Left, Right, Output> {
    private let result: Coordination<Output>
    private let leftDuration: (Left) throws -> Observable<Void>
    private let rightDuration: (Right) throws -> Observable<Void>
    private let resultSelector: (Left, Observable<Right>) throws -> Output
    /// The sequences of the elements of this sequence, oldest first.
    private var lefts: [PublishSubject<Right>] = []
    /// The elements of the other sequence with their numbers, oldest first.
    private var rights: [(number: Int, element: Right)] = []
    /// The number of elements of the other sequence so far.
    private var made = 0
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

    func takeLeft(_ event: Event<Left>) {
        guard !result.hasEnded else { return }
        switch event {
        case .next(let element):
            guard result.isLive else { return }
            do { try begin(element) } catch { end(error) }
        case .error(let error): end(error)
        case .completed:
            hasLeftCompleted = true
            endIfFinished()
        }
    }

    func takeRight(_ event: Event<Right>) {
        guard !result.hasEnded else { return }
        switch event {
        case .next(let element):
            do { try add(element) } catch { end(error) }
        case .error(let error): end(error)
        case .completed: break
        }
    }

    private func begin(_ element: Left) throws {
        let sequence = PublishSubject<Right>()
        let earlier = rights
        lefts.append(sequence)
        let output = try resultSelector(element, result.counted(sequence))
        guard result.isLive else { return }
        result.send(.next(output))
        for right in earlier { sequence.onNext(right.element) }
        guard result.isLive else { return }
        watch(try leftDuration(element)) { [self] in
            lefts.removeAll { $0 === sequence }
            sequence.onCompleted()
            endIfFinished()
        }
    }

    private func add(_ element: Right) throws {
        let number = made
        made += 1
        rights.append((number, element))
        for left in lefts { left.onNext(element) }
        watch(try rightDuration(element)) { [self] in rights.removeAll { $0.number == number } }
    }

    /// Subscribes to a duration, which sends at most one element.
    private func watch(_ duration: Observable<Void>, _ ended: @escaping () -> Void) {
        result.subscribe(duration) { event in
            switch event {
            case .next: break
            case .error(let error): self.end(error)
            case .completed: ended()
            }
        }
    }

    private func endIfFinished() {
        if hasLeftCompleted, lefts.isEmpty { end(nil) }
    }

    private func end(_ error: (any Error)?) {
        let ended = lefts
        lefts = []
        for left in ended {
            if let error { left.onError(error) } else { left.onCompleted() }
        }
        result.end(error)
    }
}
