public import Dispatch
public import RxSwift

extension ObservableType {
    /// Collects the elements into batches, limited by a count, a weight and a span.
    ///
    ///     source:                               --1-2-3---4-------5-|
    ///     batched(count: 3, within: 6 columns): ------[1,2,3]---[4]-([5]|)
    ///
    /// ![Arrays of elements, each full or at the end of its span](marble-batched)
    ///
    ///     rows.batched(count: 500, weight: 1 << 20, within: .milliseconds(50), scheduler: scheduler) { $0.bytes }
    ///         .concatMap(database.insert)
    ///
    /// A batch is sent when it has `count` elements, when its weight reaches `limit`, or when `span` has passed since
    /// its first element. If the next element would make the batch heavier than `limit`, the batch is sent first. An
    /// element heavier than `limit` is sent alone. No batch is empty. A completion sends the current batch first. An
    /// error or a disposal drops the batch.
    ///
    /// A batch whose span has passed is sent on `scheduler`. Any other batch is sent on the thread that sends the
    /// source's event. At most one batch is buffered. In a bounded subscription, a downstream pause pauses the source,
    /// but not the timer.
    ///
    /// - Parameters:
    ///   - count: the maximum number of elements in a batch; a value below 1 stops the process.
    ///   - limit: the maximum weight of a batch; a value below 0 stops the process. With 0 each element is sent alone.
    ///   - span: the longest time that the first element of a batch waits.
    ///   - scheduler: measures the time.
    ///   - weigh: returns the weight of an element. A negative weight counts as 0. If it throws, the result fails.
    @preconcurrency
    public func batched(
        count: Int = .max, weight limit: Int = .max, within span: RxTimeInterval = .never, scheduler: any SchedulerType,
        weighing weigh: @escaping @Sendable (Element) throws -> Int = { _ in 0 }
    ) -> Observable<[Element]> {
        batched("batched", count, limit, span, scheduler, weigh)
    }

    /// Like ``RxSwift/ObservableType/batched(count:weight:within:scheduler:weighing:)``, with a name that
    /// ``Resilience/observe(_:)`` reports.
    public func batched(
        as name: String, count: Int = .max, weight limit: Int = .max, within span: RxTimeInterval = .never,
        scheduler: any SchedulerType, weighing weigh: @escaping @Sendable (Element) throws -> Int = { _ in 0 }
    ) -> Observable<[Element]> {
        batched(name, count, limit, span, scheduler, weigh)
    }

    private func batched(
        _ name: String, _ count: Int, _ limit: Int, _ span: RxTimeInterval, _ scheduler: any SchedulerType,
        _ weigh: @escaping (Element) throws -> Int
    ) -> Observable<[Element]> {
        if count < 1 { rxFatalError("count must be at least 1", operator: "batched", argument: "count", value: count) }
        if limit < 0 { rxFatalError("weight can't be negative", operator: "batched", argument: "weight", value: limit) }
        let source = asObservable()
        return .coordinated { result in
            Batcher(name, result, BatchState<Element>(count: count, limit: limit), span, scheduler, weigh)
                .start(source)
        }
    }
}

/// Guards: `state` and `begun` are used only inside the gate of `result`, so by one thread at a time.
private final class Batcher<Element> {
    private let name: String
    private let clock: SpanClock
    private let result: Coordination<[Element]>
    private let span: RxTimeInterval
    private let weigh: (Element) throws -> Int
    private let alarm: Countdown
    private var state: BatchState<Element>
    /// The time of the batch's first element; nil without an observer of ``Resilience/observe(_:)``.
    private var begun: Int?

    init(
        _ name: String, _ result: Coordination<[Element]>, _ state: BatchState<Element>, _ span: RxTimeInterval,
        _ scheduler: any SchedulerType, _ weigh: @escaping (Element) throws -> Int
    ) {
        self.result = result
        self.state = state
        self.span = span
        self.weigh = weigh
        self.name = name
        clock = SpanClock(scheduler)
        alarm = Countdown(ContextScheduler.capturing(for: scheduler))
    }

    private func send(_ batch: [Element], begun: Int?) {
        Resilience.tell(.batch, name, .batched(count: batch.count, waited: clock.elapsed(since: begun)))
        result.send(.next(batch))
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
            if let rest = state.take() { send(rest, begun: begun) }
            result.send(.completed)
        }
    }

    private func append(_ element: Element, weighing weight: Int) {
        // While `displaced` is sent, the observer may push the next element. So `element` is appended before, and
        // `isFull` is read again afterwards.
        let displaced = state.append(element, weighing: weight)
        let before = begun
        if state.isBegun { begun = Resilience.isObserved ? clock.now : nil }
        if state.isFull { alarm.callOff() } else if state.isBegun { setAlarm() }
        if let displaced { send(displaced, begun: before) }
        if state.isFull, let full = state.take() { send(full, begun: begun) }
    }

    private func setAlarm() {
        alarm.set(span) { turn in
            // `enter` may run this closure later. By then, the timer may have been cancelled.
            self.result.enter {
                if !turn.isDisposed, let due = self.state.take() {
                    self.alarm.restore { self.send(due, begun: self.begun) }
                }
            }
        }
    }
}

struct BatchState<Element> {
    private let count: Int
    private let limit: Int
    private var elements: [Element] = []
    private var weight = 0

    init(count: Int, limit: Int) {
        self.count = count
        self.limit = limit
    }

    var isBegun: Bool { elements.count == 1 }

    var isFull: Bool { !elements.isEmpty && (elements.count >= count || weight >= limit) }

    /// If the element does not fit into the current batch, starts a new batch and returns the previous one.
    mutating func append(_ element: Element, weighing added: Int) -> [Element]? {
        let (sum, overflow) = weight.addingReportingOverflow(added)
        let displaced = isFull || overflow || sum > limit ? take() : nil
        elements.append(element)
        weight = displaced == nil && !overflow ? sum : added
        return displaced
    }

    mutating func take() -> [Element]? {
        guard !elements.isEmpty else { return nil }
        defer {
            elements = []
            weight = 0
        }
        return elements
    }
}
