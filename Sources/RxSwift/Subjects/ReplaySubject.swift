public import CRxCore

/// Broadcasts each event to its observers, and replays the last elements to a new one.
///
///     subject of 2: --1--2--3-------|
///     observer:     ---------(^23)--|
///
/// ![The last two elements first, then what follows](marble-replay-subject)
///
/// Any thread may push into it. Observers receive in order of subscription, one event at a time: on the pusher's
/// thread, or, where another thread is delivering, on that one. A new observer receives the buffer on the subscribing
/// thread, and then every event after it, none lost and none twice; after the end, the buffer and the terminal event.
/// The buffer grows as it fills.
///
/// An event that is left to another thread is still to come until that thread delivers it: an observer that subscribes
/// meanwhile receives it after the buffer, also on the thread that has pushed it.
// @unchecked Sendable because its one property is a let, and the core has its own guards.
public class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Disposable, @unchecked Sendable {
    /// The type of ``asObserver()``.
    public typealias SubjectObserverType = ReplaySubject<Element>

    @usableFromInline
    final let core: ReplayCore<Element>

    @inlinable
    init(_ core: ReplayCore<Element>) {
        self.core = core
        super.init { base, assembly in
            unsafeDowncast(base, to: ReplaySubject<Element>.self).core.attach(&assembly, handle: base)
            return nil
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    @usableFromInline
    override var subjectCore: Unmanaged<SubjectBase>? { core.unlessWatched }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    /// Creates a subject that replays at most `bufferSize` elements.
    ///
    /// - Parameter bufferSize: how many of the last elements are kept; it must not be negative.
    @inlinable
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        if bufferSize < 0 {
            rxFatalError(
                "bufferSize can't be negative", operator: "ReplaySubject.create", argument: "bufferSize",
                value: bufferSize)
        }
        return ReplaySubject(ReplayCore(limit: bufferSize))
    }

    /// Creates a subject that replays every element it has ever received.
    @inlinable
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(ReplayCore(limit: .max))
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { core.hasObservers }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    /// Without an event around each element.
    public func _sink(_ disposer: AnyObject) -> AnyObject {
        ForwardSink(self, disposer) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<ReplaySubject<Element>>.self)
            if me.isLive { Unmanaged.passUnretained(me.observer.core)._withUnsafeGuaranteedRef { $0.enter(element) } }
        }
    }

    /// The same for the end.
    public func _end(_ error: (any Swift.Error)?) {
        core.enterEnd(error)
    }

    /// The subject itself.
    public func asObserver() -> ReplaySubject<Element> { self }

    /// Lets all observers and the buffer go without a terminal event; new observers get ``RxError/disposed(object:)``.
    public func dispose() {
        core.dispose()
    }
}

// In an extension, because a method of a class that is not final is called through its table, which has the
// unspecialised one.
extension ReplaySubject {
    /// Sends `event` to the observers; an element enters the buffer.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.enter(element)
        case .error(let error): core.enterEnd(error)
        case .completed: core.enterEnd(nil)
        }
    }
}

/// Guards: the buffer, the bag's lock L. It changes in the owner's step, under L, with the walk that tells it.
@usableFromInline
final class ReplayCore<Element>: SubjectCore<Element>, GateTarget {
    @usableFromInline
    @exclusivity(unchecked)
    var buffer: ReplayBuffer<Element>

    @usableFromInline
    init(limit: Int) {
        buffer = ReplayBuffer(limit: limit)
        super.init(owesSnapshot: true)
    }

    @inlinable
    static var holdsGate: Bool { true }

    @inlinable
    func step(_ element: Element) {
        crx_bag_lock(observers)
        guard crx_bag_stop_locked(observers) == 0 else { return crx_bag_unlock(observers) }
        let evicted = buffer.append(element)
        let walk = crx_bag_walk_locked(observers)
        crx_bag_unlock(observers)
        withExtendedLifetime(evicted) {}
        deliver(element, to: walk)
    }

    @usableFromInline
    override func snapshotLocked(hasEnded: Bool) -> Snapshot<Element> {
        .many(buffer.elements)
    }

    @usableFromInline
    override func forgetLocked() -> Any? {
        buffer.removeAll()
    }
}

/// The last elements, the oldest first: a ring that grows up to its limit.
@usableFromInline
struct ReplayBuffer<Element> {
    @usableFromInline
    let limit: Int
    @usableFromInline
    var ring: [Element] = []
    /// Where the oldest element is, once the ring is full.
    @usableFromInline
    var oldest = 0

    @inlinable
    init(limit: Int) {
        self.limit = limit
    }

    /// Adds an element and returns the one that leaves for it.
    @inlinable
    mutating func append(_ element: Element) -> Element? {
        if ring.count < limit {
            ring.append(element)
            return nil
        }
        guard limit > 0 else { return element }
        let evicted = ring[oldest]
        ring[oldest] = element
        oldest = oldest + 1 == limit ? 0 : oldest + 1
        return evicted
    }

    /// The elements in order.
    var elements: [Element] {
        oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
    }

    /// Empties the buffer and returns what was in it.
    mutating func removeAll() -> [Element] {
        let removed = ring
        ring = []
        oldest = 0
        return removed
    }
}
