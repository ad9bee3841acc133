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
/// Several threads may send at once; elements are delivered in order, one at a time. The thread that calls `onNext`
/// delivers the element, and the elements that other threads or the observer add during the delivery. Waiting elements
/// are delivered on the subscribing thread, and after a pause on the resuming thread; the terminal event comes after
/// them. A second observer fails with ``SecondObserverError``, even after the first one has left. When the observer
/// leaves, waiting elements are released. Later elements are dropped. The subscription survives the release of the
/// subject.
///
/// Pausing: while the observer pauses, elements wait. While `bound` elements wait, ``offer(_:)`` rejects an element,
/// and `onNext` makes the subject fail: `FlowError.overflow` is delivered after the waiting elements.
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
    /// - Parameter bound: the number of elements that may wait; less than 1 stops the process.
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

    /// The error as a sentence.
    public var description: String {
        "a UnicastSubject has one observer, and it has had one already; use a PublishSubject or share() for several"
    }
}

/// Guards: `state` is protected by its lock. The lock is not held in call-outs. Elements are released without the lock.
/// Only the thread that has set `isDelivering` delivers.
// @unchecked Sendable because of the guards above.
@usableFromInline
final class UnicastQueue<Element>: @unchecked Sendable {
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline
        var waiting = Ring<Element>()
        /// The terminal event, delivered after the waiting elements.
        @usableFromInline
        var end: Event<Element>?
        @usableFromInline
        var observer: FlowObserver<Element>?
        var isTaken = false
        /// Whether the observer has left, or the end has been dequeued.
        @usableFromInline
        var isClosed = false
        @usableFromInline
        var isDelivering = false
        /// Set before `observer.isOpen` is read. Cleared if `isOpen` is true, otherwise by the resume callback.
        @usableFromInline
        var awaitsResume = false

        /// Closes the queue. The caller releases the returned values without the lock.
        mutating func close() -> ([Element], Event<Element>?, FlowObserver<Element>?) {
            isClosed = true
            return (waiting.removeAll(), end.take(), observer.take())
        }

        /// Returns the next step of the delivering thread. After `stop`, no thread is delivering.
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
        /// The first waiting element is sent, unless the observer is paused.
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

    /// Adds `element` to the waiting elements. If there is no room, rejects it, and fails the subject if `orFails` is
    /// true.
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

    /// If no thread is delivering and no resume is awaited, delivers the waiting events until the observer pauses.
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
                        // If `awaitsResume` is false, the resume callback has already run.
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
