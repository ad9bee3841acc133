public import Dispatch
import RxSwift

/// A subject that replays the last elements to each new observer: at most `count`, all younger than `age`.
///
///     subject, for 5 columns: --1--2-------3--|
///     observer:               --------(^2)-3--|
///
/// ![First the element that is young enough](marble-timed-replay-subject)
///
///     let recent = TimedReplaySubject<Int>(for: .seconds(10), count: 100, scheduler: scheduler)
///     recent.onNext(1)
///
/// After the end, new observers receive the elements that are young enough, and then the end. Several threads may send
/// at once. Events are delivered one at a time to each observer: replayed elements on the subscribing thread, other
/// events on the sending thread. Elements that are too old are released at the next element or subscription.
///
/// Pausing: a paused observer does not affect the other observers. A replay does not pause: a bounded observer without
/// room for all stored elements fails with `FlowError.overflow`.
// @unchecked Sendable because all properties are immutable and thread-safe.
public final class TimedReplaySubject<Element>: SubjectType, ObserverType, @unchecked Sendable {
    /// The only observer of `inlet` stores each element, and passes it to `outlet` with its position.
    private let inlet = PublishSubject<Element>()
    private let outlet: PublishSubject<(number: Int, element: Element)>
    private let elements: Observable<Element>

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - age: the time for which an element is replayed.
    ///   - count: the maximum number of replayed elements; a negative number stops the process.
    ///   - scheduler: measures the time.
    public init(for age: RxTimeInterval, count: Int = .max, scheduler: any SchedulerType) {
        if count < 0 {
            rxFatalError("count can't be negative", operator: "TimedReplaySubject", argument: "count", value: count)
        }
        let history = History<Element>(age: age.nanosecondsInInt, count: count, SpanClock(scheduler))
        let outlet = PublishSubject<(number: Int, element: Element)>()
        self.outlet = outlet
        elements = .coordinated { [observable = outlet.asObservable()] result in
            let replay = Replay(result, history)
            result.enter { replay.begin(observable) }
            return Disposables.create()
        }
        _ = inlet.subscribe { event in
            switch event {
            case .next(let element): outlet.onNext((history.append(element), element))
            case .error(let error): outlet.onError(error)
            case .completed: outlet.onCompleted()
            }
        }
    }

    /// Whether the subject has an observer.
    public var hasObservers: Bool { outlet.hasObservers }

    var readiness: SubjectReadiness { outlet.readiness }

    /// Sends `event` to the observers. If it is an element, it is stored first.
    public func on(_ event: Event<Element>) {
        inlet.on(event)
    }

    public func asObserver() -> TimedReplaySubject<Element> { self }

    /// The elements of the subject, without access to the subject.
    public func asObservable() -> Observable<Element> { elements }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        elements.subscribe(observer)
    }
}

extension ObservableType {
    /// A connectable sequence that replays the last elements to each new observer: at most `count`, all younger than
    /// `age`.
    ///
    ///     prices.replay(for: .seconds(10), scheduler: scheduler).refCount()
    ///
    /// See ``TimedReplaySubject`` for the threads. An error or the completion goes to all observers.
    ///
    /// Pausing: a pause does not reach the source.
    ///
    /// `count`, `age` and `scheduler` are as for ``TimedReplaySubject/init(for:count:scheduler:)``.
    public func replay(
        _ count: Int = .max, for age: RxTimeInterval, scheduler: any SchedulerType
    ) -> ConnectableObservable<Element> {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        return multicast(makeSubject: { TimedReplaySubject(for: age, count: count, scheduler: scheduler) })
    }
}

/// The stored elements, oldest first.
// @unchecked Sendable because it is immutable except for `entries`, which has a lock.
private final class History<Element>: @unchecked Sendable {
    private struct Entries: ~Copyable {
        var ring = Ring<(time: Int, element: Element)>()
        var made = 0

        mutating func removeOld(upTo time: Int, keeping count: Int) -> [Element] {
            var removed: [Element] = []
            while let first = ring.first, ring.count > count || first.time <= time {
                removed.append(ring.removeFirst().element)
            }
            return removed
        }

        mutating func copy() -> [Element] {
            (0..<ring.count).map { _ in
                let entry = ring.removeFirst()
                ring.append(entry)
                return entry.element
            }
        }
    }

    private let age: Int
    private let count: Int
    private let clock: SpanClock
    private let entries = Locked(Entries())

    init(age: Int, count: Int, _ clock: SpanClock) {
        self.age = age
        self.count = count
        self.clock = clock
    }

    func append(_ element: Element) -> Int {
        let now = clock.now
        // `removed` is released without the lock.
        let (number, removed) = entries.withLock { entries in
            entries.ring.append((now, element))
            entries.made += 1
            return (entries.made, entries.removeOld(upTo: now.span(since: age), keeping: count))
        }
        withExtendedLifetime(removed) {}
        return number
    }

    func snapshot() -> (elements: [Element], last: Int) {
        let now = clock.now
        let (elements, last, removed) = entries.withLock { entries in
            let removed = entries.removeOld(upTo: now.span(since: age), keeping: count)
            return (entries.copy(), entries.made, removed)
        }
        withExtendedLifetime(removed) {}
        return (elements, last)
    }
}

/// One observer. It receives the stored elements, then the events that came during this replay, then later events.
///
/// The observer subscribes to `outlet` before it reads the stored elements. So an element from `outlet` may also be
/// among the stored elements. `send` drops such an element: its number is at most `last`.
///
/// Guards: only the thread that owns the gate of `result` uses the state. Deliveries may call back into this object.
private final class Replay<Element> {
    private let result: Coordination<Element>
    private let history: History<Element>
    /// The position of the last stored element at the start of the replay.
    private var last = 0
    /// Events that came during the replay, oldest first; nil after the replay.
    private var waiting: [Event<(number: Int, element: Element)>]? = []

    init(_ result: Coordination<Element>, _ history: History<Element>) {
        self.result = result
        self.history = history
    }

    func begin(_ outlet: Observable<(number: Int, element: Element)>) {
        result.subscribe(outlet, take)
        let (elements, last) = history.snapshot()
        self.last = last
        for element in elements { result.send(.next(element)) }
        while let events = waiting, !events.isEmpty {
            waiting = []
            for event in events { send(event) }
        }
        waiting = nil
    }

    private func take(_ event: Event<(number: Int, element: Element)>) {
        if waiting == nil { send(event) } else { waiting?.append(event) }
    }

    private func send(_ event: Event<(number: Int, element: Element)>) {
        switch event {
        case .next((let number, let element)): if number > last { result.send(.next(element)) }
        case .error(let error): result.send(.error(error))
        case .completed: result.send(.completed)
        }
    }
}
