internal import CRxCore

/// A queue in which a bounded number of elements waits for another thread. An element that does not fit is dropped or
/// fails the sequence. The source is never paused.
///
/// Guards: `state` is protected by its lock; only the drain delivers, one element at a time.
final class LossyDrain<Element>: FlowJob, @unchecked Sendable {  // because of the guard above
    private struct State: ~Copyable {
        var waiting = Ring<Element>()
        /// Whether a drain is queued, runs, or is parked.
        var isDraining = false
        var isClosed = false
        /// The terminal event, after the waiting elements.
        var end: (any Error)??
    }

    private enum Next {
        case element(Element)
        case end((any Error)?)
        case nothing
    }

    private let down: Sink<Element>
    fileprivate let source: BoundarySource
    /// The counters of the scheduler boundary, if it counts waiting elements.
    private let counts: SchedulerCounts?
    private let state = Locked(State())

    init(_ down: Sink<Element>, _ source: BoundarySource, resumeScheduler: ResumeScheduler) {
        self.down = down
        self.source = source
        counts = BoundaryStage.counts(above: down)
        counts?.isCountedByQueue = true
        super.init(resumeScheduler: resumeScheduler) { unsafeDowncast($0, to: LossyDrain<Element>.self).drain() }
    }

    deinit {
        down.sourceIsGone()
    }

    /// Adds an element. Called by the sink above.
    func add(_ element: Element) {
        let (starts, dropped, overflows) = state.withLock { place(element, in: &$0) }
        if overflows, let error = source.bound.overflow() { end(error) }
        if dropped != nil { source.bound.reportDrop() }
        if starts { resumeScheduler.enqueue(self) }
    }

    /// Queues an element. Returns whether a drain must be started, the dropped element, and whether the queue
    /// overflows.
    private func place(
        _ element: Element, in state: inout State
    ) -> (starts: Bool, dropped: Element?, overflows: Bool) {
        if state.isClosed || state.end != nil { return (false, nil, false) }
        var dropped: Element?
        switch source.bound.admit(state.waiting.count) {
        case .stays: break
        case .isDropped: return (false, element, false)
        case .replacesOldest:
            dropped = state.waiting.removeFirst()
            source.counters?.left()
            counts?.skip()
        case .overflows: return (false, nil, true)
        }
        state.waiting.append(element)
        source.counters?.entered()
        counts?.enter()
        defer { state.isDraining = true }
        return (!state.isDraining, dropped, false)
    }

    /// Adds the terminal event. Called by the sink above.
    func end(_ error: (any Error)?) {
        let starts = state.withLock { state in
            defer { state.isDraining = true }
            state.end = .some(error)
            return !state.isDraining
        }
        if starts { resumeScheduler.enqueue(self) }
    }

    private func drain() -> Bool {
        for _ in 0..<resumeScheduler.budget(source.bound.limit) {
            let below = crx_pause_word(down.chain)
            if crx_lifetime_is_over(below) {
                close()
                return false
            }
            if crx_pause_is_paused(below), !isAtEnd {
                switch source.park(self) {
                case .parked: return false
                case .goesOn: break
                case .over: continue
                }
            }
            switch state.withLock({ next(&$0) }) {
            case .element(let element): down.push(down, element)
            case .end(let error):
                down.end(error)
                return false
            case .nothing: return false
            }
        }
        return state.withLock { state in
            state.isDraining = !state.waiting.isEmpty || state.end != nil
            return state.isDraining
        }
    }

    private var isAtEnd: Bool {
        state.withLock { $0.waiting.isEmpty }
    }

    private func next(_ state: inout State) -> Next {
        if !state.waiting.isEmpty {
            source.counters?.left()
            return .element(state.waiting.removeFirst())
        }
        if let end = state.end { return .end(end) }
        state.isDraining = false
        return .nothing
    }

    private func close() {
        var dropped = Ring<Element>()
        state.withLock { state in
            state.isClosed = true
            source.counters?.left(state.waiting.count)
            counts?.skip(state.waiting.count)
            swap(&dropped, &state.waiting)
        }
    }

    override func drop() {
        close()
        source.above.dispose()
    }
}

/// The terminal observer above a boundary that drops or fails.
@usableFromInline
final class LossySink<Element>: TerminalObserver<Element> {
    private let drain: LossyDrain<Element>

    /// Returns a new sink above a boundary, with its drain.
    @usableFromInline
    static func make(
        _ down: Sink<Element>, _ source: BoundarySource, _ resumeScheduler: ResumeScheduler
    )
        -> SinkBase
    {
        LossySink(LossyDrain(down, source, resumeScheduler: resumeScheduler))
    }

    private init(_ drain: LossyDrain<Element>) {
        self.drain = drain
        super.init(drain.source.above) { base, element in
            unsafeDowncast(base, to: LossySink<Element>.self).drain.add(element)
        }
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        drain.end(error)
    }
}
