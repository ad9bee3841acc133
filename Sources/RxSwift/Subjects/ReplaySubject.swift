/// Broadcasts each event to its observers, and replays the last elements to each new observer.
///
///     subject of 2: --1--2--3-------|
///     observer:     ---------(^23)--|
///
/// ![The last two elements first, then what follows](marble-replay-subject)
///
/// Threads and order are as for ``PublishSubject``. A new observer receives the buffer on the subscribing thread, then
/// every later event exactly once, including events that are enqueued for another thread. An observer that subscribes
/// after the end receives the buffer and the terminal event.
// @unchecked Sendable because the core has its own guards.
public class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Disposable, @unchecked Sendable {
    /// The type of ``asObserver()``.
    public typealias SubjectObserverType = ReplaySubject<Element>

    @usableFromInline
    final let core: ReplayCore<Element>

    @inlinable
    init(_ core: ReplayCore<Element>) {
        self.core = core
        super.init()
    }

    @usableFromInline
    override var subjectCore: Unretained<SubjectBase>? { Unretained(core) }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    /// Creates a subject that replays at most `bufferSize` elements.
    ///
    /// - Parameter bufferSize: must not be negative.
    @inlinable
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        if bufferSize < 0 {
            rxFatalError(
                "bufferSize can't be negative", operator: "ReplaySubject.create", argument: "bufferSize",
                value: bufferSize)
        }
        return ReplaySubject(ReplayCore(limit: bufferSize))
    }

    /// Creates a subject that replays all elements.
    @inlinable
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(ReplayCore(limit: .max))
    }

    /// Whether the subject has an observer.
    public var hasObservers: Bool { core.hasObservers }

    package var readiness: SubjectReadiness { core.readiness }

    public func _next(_ element: Element) {
        core.enter(element)
    }

    public func asObserver() -> ReplaySubject<Element> { self }

    /// Releases all observers and the buffer without a terminal event. New observers receive
    /// ``RxError/disposed(object:)``.
    public func dispose() {
        core.dispose { core.buffer.removeAll() }
    }
}

// In an extension, because a method in the body of a non-final class is called through the method table, which contains
// the unspecialised method.
extension ReplaySubject {
    /// Sends `event` to the observers. An element is added to the buffer.
    @inlinable
    public func on(_ event: Event<Element>) {
        core.enter(event: event)
    }
}

/// Guards: `buffer` is protected by the lock of the bag of observers. To deliver an element, the thread that owns the
/// gate (see ``GateTarget``) changes `buffer` and reads the list of observers in one critical section.
@usableFromInline
final class ReplayCore<Element>: ReplayingCore<Element>, GateTarget {
    @usableFromInline
    @exclusivity(unchecked)
    var buffer: ReplayBuffer<Element>

    @usableFromInline
    init(limit: Int) {
        buffer = ReplayBuffer(limit: limit)
        super.init()
    }

    @inlinable
    func step(_ element: Element) {
        deliver(element) { buffer.append(element) }
    }

    @usableFromInline
    override func snapshotLocked(hasEnded: Bool) -> Snapshot<Element> {
        .many(buffer.elements)
    }
}

/// The last elements, in a ring that grows up to its limit.
@usableFromInline
struct ReplayBuffer<Element> {
    @usableFromInline
    let limit: Int
    @usableFromInline
    var ring: [Element] = []
    /// The oldest element's index when the ring is full.
    @usableFromInline
    var oldest = 0

    @inlinable
    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the evicted element or nil. If the limit is 0, evicts `element` itself.
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

    var elements: [Element] {
        oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
    }

    mutating func removeAll() -> [Element] {
        let removed = ring
        ring = []
        oldest = 0
        return removed
    }
}
