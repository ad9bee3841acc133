internal import CRxCore

/// The policy of a boundary for waiting elements; see ``ObservableType/observe(on:buffering:)``.
public enum Buffering: Sendable, Equatable {
    /// No bound: the default of every operator.
    case unbounded
    /// At this number of waiting elements, the source pauses until a quarter of them is left. If a source that cannot
    /// pause, such as a subject, sends more, the sequence fails with ``FlowError/overflow(boundary:limit:source:)``
    /// after the queued elements.
    case pausing(Int)
    /// At this number of waiting elements, new elements are dropped.
    case oldest(Int)
    /// At this number of waiting elements, a new element replaces the oldest.
    case newest(Int)
    /// At this number of waiting elements, a new element makes the sequence fail with
    /// ``FlowError/overflow(boundary:limit:source:)`` after the queued elements.
    case failing(Int)

    var pauses: Bool {
        if case .pausing = self { true } else { false }
    }

    var bound: Int {
        switch self {
        case .unbounded: .max
        case .pausing(let bound), .oldest(let bound), .newest(let bound), .failing(let bound): bound
        }
    }

    @usableFromInline
    func checked(by boundary: StaticString) -> Buffering {
        if bound < 1 {
            rxFatalError("a bound must be at least 1", operator: boundary, argument: "buffering", value: self)
        }
        return self
    }
}

/// The error of a bounded queue.
public enum FlowError: Error, Equatable {
    /// The operator `boundary` has a queue for `limit` elements. The source named `source` did not pause and sent more.
    case overflow(boundary: String, limit: Int, source: String)
}

extension FlowError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .overflow(let boundary, let limit, let source):
            """
            \(boundary) is full: \(limit) \(limit == 1 ? "element is" : "elements are") waiting, and \(source) did \
            not pause; use a source that can pause, or drop elements (see the page "Bounded memory")
            """
        }
    }
}

/// The bound of a queue that the chain `source` fills. Applies the policy, pauses the chain and updates the counters.
///
/// A queue calls ``add(_:to:)`` for a new element, and ``settle(_:)`` after a removal, under the lock or the gate that
/// guards its state. Then it calls ``finish(_:)`` or ``notifySource()`` without a lock, because these functions may
/// call the program's code.
@usableFromInline
struct QueueBound {
    @usableFromInline
    let source: ChainLifetime
    let buffering: Buffering
    let limit: Int
    let name: String
    @usableFromInline
    let counters: BoundaryCounters?
    private let drops = AtomicCount()

    init(_ name: StaticString, _ buffering: Buffering, filledBy source: ChainLifetime) {
        self.source = source
        self.buffering = buffering
        self.name = "\(name)"
        limit = buffering.bound
        counters = buffering == .unbounded ? nil : .register(name, bound: limit)
    }

    /// The scope for `source`, if there is no chain below the queue; nil if the policy does not pause.
    var scope: FlowScope? { buffering.pauses ? FlowScope(nil, resumeScheduler: .global) : nil }

    enum Admission {
        case stays, isDropped, replacesOldest
        /// The caller must call ``QueueBound/overflow()``.
        case overflows
    }

    func admit(_ waiting: Int) -> Admission {
        if waiting < limit { return .stays }
        switch buffering {
        case .oldest: return .isDropped
        case .newest: return .replacesOldest
        case .pausing where mayStillSend(waiting): return .stays
        default: return .overflows
        }
    }

    /// Whether a full queue accepts an element. A paused source may still send elements that it began to send before
    /// the pause.
    func mayStillSend(_ waiting: Int) -> Bool {
        crx_pause_is_pausable(crx_pause_word(source.chain)) && waiting < limit + BoundarySource.onTheirWay
    }

    struct Addition<Element> {
        fileprivate(set) var isAdded = false
        /// The dropped element: the new one or the oldest.
        fileprivate(set) var dropped: Element?
        fileprivate var overflows = false
        fileprivate var notifies = false
    }

    func add<Element>(_ element: Element, to queue: inout Ring<Element>) -> Addition<Element> {
        var addition = Addition<Element>()
        switch admit(queue.count) {
        case .stays: break
        case .isDropped:
            addition.dropped = element
            return addition
        case .replacesOldest:
            addition.dropped = queue.removeFirst()
            counters?.left()
        case .overflows:
            addition.overflows = true
            return addition
        }
        queue.append(element)
        addition.isAdded = true
        counters?.entered()
        addition.notifies = settle(queue.count)
        return addition
    }

    /// Completes an addition, without the lock. Returns the error if the queue overflows.
    func finish<Element>(_ addition: Addition<Element>) -> FlowError? {
        if addition.notifies { notifySource() }
        if addition.dropped != nil { reportDrop() }
        return addition.overflows ? overflow() : nil
    }

    /// Pauses the source at the limit, and resumes it at a quarter of the limit. If the result is true, the caller must
    /// call ``notifySource()``.
    func settle(_ waiting: Int) -> Bool {
        guard buffering.pauses else { return false }
        let isFull = crx_pause_is_full(crx_pause_word(source.chain))
        if !isFull && waiting >= limit {
            counters?.paused()
            return crx_pause_set_full(source.chain, true)
        }
        guard isFull && waiting <= limit / 4 else { return false }
        counters?.resumed()
        return crx_pause_set_full(source.chain, false)
    }

    func notifySource() {
        var worklist = PauseWorklist(turnOf: nil)
        worklist.notifies(source)
        worklist.notifyAll()
    }

    func reportDrop() {
        counters?.dropped()
        // `drops` is updated in a separate statement, because the arguments below are evaluated only if there is a
        // handler.
        let count = drops.add(1) + 1
        Hooks.droppedElementHandler?(name, buffering, count)
    }

    /// Disposes of the source and returns the error; nil if another thread has disposed of the source.
    func overflow() -> FlowError? { source.disposeOverflowing(name, limit: limit, counters) }
}
