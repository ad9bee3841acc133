internal import CRxCore

/// The bound of a queue that one chain fills: the policy for an element that does not fit, the pausing of the chain,
/// and the counters.
///
/// A queue calls ``admit(_:)`` before it adds an element, and ``settle(_:_:)`` after each change of its length, both
/// under the guard of the queue. It calls ``reportDrop()`` and ``overflow()`` with no lock held, because they call user
/// code.
@usableFromInline
struct QueueBound {
    /// The chain that fills the queue.
    @usableFromInline
    let source: ChainLifetime
    let buffering: Buffering
    /// The maximum number of waiting elements.
    let limit: Int
    /// The name of the operator, for messages and counters.
    let name: String
    /// The counters of the queue while counting is on.
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

    /// The decision about a new element.
    enum Admission {
        case stays, isDropped, replacesOldest
        /// The source cannot pause: see ``QueueBound/overflow()``.
        case overflows
    }

    /// Decides what happens to a new element while `waiting` elements wait. A paused source may still send the elements
    /// that were on their way.
    func admit(_ waiting: Int) -> Admission {
        if waiting < limit { return .stays }
        switch buffering {
        case .oldest: return .isDropped
        case .newest: return .replacesOldest
        case .pausing where source.maySend(above: limit, waiting: waiting): return .stays
        default: return .overflows
        }
    }

    /// Pauses the source when `waiting` has reached the limit, and resumes it when a quarter of the limit is left.
    func settle(_ waiting: Int, _ worklist: inout PauseWorklist) {
        guard buffering.pauses else { return }
        let isFull = crx_pause_is_full(crx_pause_word(source.chain))
        if !isFull && waiting >= limit {
            counters?.paused()
            worklist.setFull(true, source)
        } else if isFull && waiting <= limit / 4 {
            worklist.setFull(false, source)
        }
    }

    /// Counts a dropped element and reports it to the program.
    func reportDrop() {
        counters?.dropped()
        // Counted before the call: without a handler, the arguments of the call are not evaluated.
        let count = drops.add(1) + 1
        Hooks.droppedElementHandler?(name, buffering, count)
    }

    /// Disposes of the source because it exceeds the limit and cannot pause.
    ///
    /// - Returns: the error to fail with; nil if another thread has disposed of the source.
    func overflow() -> FlowError? { source.disposeOverflowing(name, limit: limit, counters) }
}
