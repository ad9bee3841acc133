import RxSwift

/// A subject with one observer. It stores the elements that come before the observer or while the observer is paused.
///
///     subject:  --1--2--------3--|
///     observer: -------(^12)--3--|
///
/// ![First what came before the observer](marble-unicast-subject)
///
///     let jobs = UnicastSubject<Job>(bound: 1_000)
///     jobs.concatMap { run($0) }.subscribe(onNext: store).disposed(by: bag)
///     if jobs.offer(job) == .paused { reject(job) }
///
/// Elements are delivered in order, one at a time. `onNext`, `onError`, `onCompleted` and `offer(_:)` may be called on
/// several threads at once. The thread that calls `onNext` delivers the element, and also the elements that other
/// threads or the observer add during the delivery. Deliveries do not nest. Waiting elements are delivered on the
/// subscribing thread, and after a pause on the thread that resumes. The terminal event comes after the waiting
/// elements. A second observer fails with ``SecondObserverError``, even if the first one has left. When the observer
/// leaves, the waiting elements are released, and later ones are dropped. The subscription lives until it ends or is
/// disposed of, even if the subject is released.
///
/// Pausing: while the observer pauses, elements wait in the subject. If an element comes while `bound` elements wait,
/// ``offer(_:)`` rejects it, and `onNext` ends the subject with `FlowError.overflow` after the waiting elements.
///
/// ## See Also
///
/// - ``TimedReplaySubject``
// @unchecked Sendable because the queue has its own guards.
public final class UnicastSubject<Element>: SubjectType, ObserverType, @unchecked Sendable {
    @usableFromInline
    let queue: UnicastQueue<Element>

    /// Creates a subject.
    ///
    /// - Parameter bound: the number of elements that may wait; a number less than 1 stops the process.
    public init(bound: Int = .max) {
        if bound < 1 {
            rxFatalError("bound must be at least 1", operator: "UnicastSubject", argument: "bound", value: bound)
        }
        queue = UnicastQueue(bound: bound)
    }

    /// Whether the subject has an observer.
    public var hasObservers: Bool { queue.hasObserver }

    /// Sends `event` to the observer, or adds it to the waiting elements.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): _ = queue.add(element, orFails: true)
        case .error, .completed: queue.end(event)
        }
    }

    /// Sends an element unless `bound` elements wait.
    ///
    /// - Returns: whether the element was delivered or waits, or the reason why not.
    @inlinable
    public func offer(_ element: Element) -> OfferResult {
        queue.add(element, orFails: false)
    }

    public func asObserver() -> UnicastSubject<Element> { self }

    /// The elements of the subject, without access to the subject.
    public func asObservable() -> Observable<Element> {
        Observable.create(flow: { [queue] in queue.begin($0) })
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }
}

/// The error of a second subscription to a ``UnicastSubject``.
public struct SecondObserverError: Error, Equatable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    public var description: String {
        "a UnicastSubject has one observer, and it has had one already; use a PublishSubject or share() for several"
    }
}

/// The waiting elements of a subject, and its observer.
///
/// Guards: `state` is protected by its lock. The lock is not held in call-outs. Elements are released without the lock.
/// Only the thread that has set `isDelivering` delivers.
// @unchecked Sendable because of the guards above.
@usableFromInline
final class UnicastQueue<Element>: @unchecked Sendable {
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline
        var waiting = Ring<Element>()
        /// The terminal event, to be delivered after the waiting elements.
        @usableFromInline
        var end: Event<Element>?
        @usableFromInline
        var observer: FlowObserver<Element>?
        var isTaken = false
        /// Whether the observer has left, or the end has been dequeued for its delivery.
        @usableFromInline
        var isClosed = false
        @usableFromInline
        var isDelivering = false
        /// If true, this queue has requested a resume callback from the observer, and the callback has not run. At most
        /// one callback is requested in a pause.
        @usableFromInline
        var awaitsResume = false

        /// Closes the queue. Returns its elements, terminal event and observer, which the caller releases without the
        /// lock.
        mutating func close() -> ([Element], Event<Element>?, FlowObserver<Element>?) {
            isClosed = true
            return (waiting.removeAll(), end.take(), observer.take())
        }

        /// The next action of the delivering thread. After `stop`, no thread is delivering.
        @inlinable
        mutating func next() -> Step {
            guard let observer else {
                isDelivering = false
                return .stop
            }
            if !waiting.isEmpty {
                awaitsResume = true
                return .element(observer)
            }
            guard let end = end.take() else {
                isDelivering = false
                return .stop
            }
            self.observer = nil
            isClosed = true
            return .end(end, observer)
        }
    }

    @usableFromInline
    enum Step {
        /// An element waits. It is sent unless the observer is paused.
        case element(FlowObserver<Element>)
        case end(Event<Element>, FlowObserver<Element>)
        case stop
    }

    @usableFromInline
    let bound: Int
    @usableFromInline
    let state = Locked(State())

    init(bound: Int) {
        self.bound = bound
    }

    var hasObserver: Bool { state.withLock { $0.observer != nil } }

    /// If there is no room and `orFails` is true, the subject fails.
    @inlinable
    func add(_ element: Element, orFails: Bool) -> OfferResult {
        let result: OfferResult = state.withLock { state in
            if state.isClosed || state.end != nil { return .ended }
            if state.waiting.count < bound {
                state.waiting.append(element)
                return .delivered
            }
            if orFails {
                state.end = .error(
                    FlowError.overflow(boundary: "UnicastSubject", limit: bound, source: "a caller of onNext"))
            }
            return .paused
        }
        if result == .delivered || orFails { deliver() }
        return result
    }

    @usableFromInline
    func end(_ event: Event<Element>) {
        state.withLock { state in
            if !state.isClosed && state.end == nil { state.end = event }
        }
        deliver()
    }

    func begin(_ observer: FlowObserver<Element>) -> any Disposable {
        let isFirst = state.withLock { state in
            if !state.isTaken { state.observer = observer }
            return !exchange(&state.isTaken, with: true)
        }
        guard isFirst else {
            observer.onError(SecondObserverError())
            return Disposables.create()
        }
        observer.onResume { [weak self] in self?.resumed() }
        deliver()
        return Disposables.create { [self] in
            let released = state.withLock { $0.close() }
            withExtendedLifetime(released) {}
        }
    }

    private func resumed() {
        state.withLock { $0.awaitsResume = false }
        deliver()
    }

    /// If no thread is delivering and no resume is awaited, delivers the waiting elements and then the terminal event.
    /// Stops when the observer pauses.
    @inlinable
    func deliver() {
        let isBusy = state.withLock { $0.awaitsResume || exchange(&$0.isDelivering, with: true) }
        if isBusy { return }
        while true {
            switch state.withLock({ $0.next() }) {
            case .element(let observer):
                if observer.isOpen {
                    // Nil if the observer has left.
                    let element = state.withLock { state in
                        state.awaitsResume = false
                        return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                    }
                    if let element { observer.onNext(element) }
                } else {
                    let stops = state.withLock { state in
                        // If `awaitsResume` is false, the observer has called back already.
                        if state.awaitsResume { state.isDelivering = false }
                        return state.awaitsResume
                    }
                    if stops { return }
                }
            case .end(let event, let observer): observer.on(event)
            case .stop: return
            }
        }
    }
}
