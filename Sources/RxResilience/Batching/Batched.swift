public import Dispatch
public import RxSwift

extension ObservableType {
    /// The elements in batches, each as large as a count, a weight and a span of time allow.
    ///
    ///     source:                               --1-2-3---4-------5-|
    ///     batched(count: 3, within: 6 columns): ------[1,2,3]---[4]-([5]|)
    ///
    /// ![Arrays of what came, each full or at the end of its span](marble-batched)
    ///
    ///     rows.batched(count: 500, weight: 1 << 20, within: .milliseconds(50), scheduler: scheduler) { $0.bytes }
    ///         .concatMap(database.insert)
    ///
    /// A batch is sent as soon as it has `count` elements or weighs `limit`; before an element that would make it weigh
    /// more; and when `span` has passed since its first element. So no batch is empty, none has more than `count`
    /// elements, and none weighs more than `limit`, but for an element that does by itself: that one goes alone. The
    /// order is the source's and nothing is lost: the completion sends what there is first. An error drops what there
    /// is, as it does in `buffer`; so does disposing of the result.
    ///
    /// A batch that is full is sent as the source sends its last element, one that is due on `scheduler`, one event at
    /// a time. What is held is at most one batch. In a bounded subscription the source pauses with the result, and a
    /// batch that is due meanwhile is sent nevertheless.
    ///
    /// - Parameters:
    ///   - count: how many elements a batch has at most; less than 1 stops the process.
    ///   - limit: how much a batch weighs at most; less than 0 stops the process. With 0 each element goes alone.
    ///   - span: how long the first element of a batch waits at most.
    ///   - scheduler: what measures the time.
    ///   - weigh: called with each element, in order; less than nothing counts as nothing. An error that it throws ends
    ///     the result.
    @preconcurrency
    public func batched(
        count: Int = .max, weight limit: Int = .max, within span: RxTimeInterval = .never, scheduler: any SchedulerType,
        weighing weigh: @escaping @Sendable (Element) throws -> Int = { _ in 0 }
    ) -> Observable<[Element]> {
        if count < 1 { rxFatalError("count must be at least 1", operator: "batched", argument: "count", value: count) }
        if limit < 0 { rxFatalError("weight can't be negative", operator: "batched", argument: "weight", value: limit) }
        let source = asObservable()
        return .coordinated { result in
            Batcher(result, BatchState<Element>(count: count, limit: limit), span, scheduler, weigh)
                .start(source)
        }
    }
}

/// One subscription to a batched sequence.
///
/// Guards: `state` is that of the thread that is within `result`.
private final class Batcher<Element> {
    private let result: Coordination<[Element]>
    private let span: RxTimeInterval
    private let weigh: (Element) throws -> Int
    private let alarm: Countdown
    private var state: BatchState<Element>

    init(
        _ result: Coordination<[Element]>, _ state: BatchState<Element>, _ span: RxTimeInterval,
        _ scheduler: any SchedulerType, _ weigh: @escaping (Element) throws -> Int
    ) {
        self.result = result
        self.state = state
        self.span = span
        self.weigh = weigh
        alarm = Countdown(ContextScheduler.capturing(for: scheduler))
    }

    func start(_ source: Observable<Element>) -> any Disposable {
        result.subscribe(source, take)
        return alarm
    }

    private func take(_ event: Event<Element>) {
        switch event {
        case .next(let element):
            guard result.isLive else { return }
            do { append(element, weighing: max(0, try weigh(element))) } catch { result.send(.error(error)) }
        case .error(let error): result.send(.error(error))
        case .completed:
            if let rest = state.take() { result.send(.next(rest)) }
            result.send(.completed)
        }
    }

    private func append(_ element: Element, weighing weight: Int) {
        // In its place before anything is sent: the observer may push the next one.
        let displaced = state.append(element, weighing: weight)
        if state.isFull { alarm.callOff() } else if state.isBegun { setAlarm() }
        if let displaced { result.send(.next(displaced)) }
        // Taken no earlier: what the observer sends meanwhile comes behind it.
        if state.isFull, let full = state.take() { result.send(.next(full)) }
    }

    private func setAlarm() {
        alarm.set(span) { turn in
            // Another thread may do this, later.
            self.result.enter {
                if !turn.isDisposed, let due = self.state.take() {
                    self.alarm.restore { self.result.send(.next(due)) }
                }
            }
        }
    }
}

/// What a batch knows.
struct BatchState<Element> {
    private let count: Int
    private let limit: Int
    private var elements: [Element] = []
    private var weight = 0

    init(count: Int, limit: Int) {
        self.count = count
        self.limit = limit
    }

    /// Whether the batch has but its first element.
    var isBegun: Bool { elements.count == 1 }

    /// Whether the batch is to be sent.
    var isFull: Bool { !elements.isEmpty && (elements.count >= count || weight >= limit) }

    /// Adds an element; returns the batch that had no room for it.
    mutating func append(_ element: Element, weighing added: Int) -> [Element]? {
        let (sum, overflow) = weight.addingReportingOverflow(added)
        let displaced = isFull || overflow || sum > limit ? take() : nil
        elements.append(element)
        weight = displaced == nil && !overflow ? sum : added
        return displaced
    }

    /// What there is, if anything.
    mutating func take() -> [Element]? {
        guard !elements.isEmpty else { return nil }
        defer {
            elements = []
            weight = 0
        }
        return elements
    }
}
