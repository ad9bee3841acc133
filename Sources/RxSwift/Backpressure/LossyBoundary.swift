internal import CRxCore

/// A bounded queue between two threads. An element that does not fit is dropped, replaces the oldest, or makes the
/// sequence fail. The source is never paused.
///
/// Guards: `state` is protected by its lock. Only the drain delivers, one element at a time.
final class LossyDrain<Element>: FlowJob, @unchecked Sendable {  // see the guards above
    private struct State: ~Copyable {
        var waiting = Ring<Element>()
        /// Whether a drain is queued, runs, or is parked.
        var isDraining = false
        var isClosed = false
        var end: (any Error)??
    }

    private enum Next {
        case element(Element)
        case end((any Error)?)
        case nothing
    }

    private let down: Sink<Element>
    fileprivate let source: BoundarySource
    private let counts: SchedulerCounts?
    private let state = Locked(State())

    init(_ down: Sink<Element>, _ source: BoundarySource) {
        self.down = down
        self.source = source
        counts = BoundaryStage.counts(above: down)
        counts?.isCountedByQueue = true
        super.init(resumeScheduler: source.resumeScheduler) {
            unsafeDowncast($0, to: LossyDrain<Element>.self).drain()
        }
    }

    deinit {
        down.sourceIsGone()
    }

    func add(_ element: Element) {
        let (starts, addition) = state.withLock { place(element, in: &$0) }
        if let addition, let error = source.bound.finish(addition) { end(error) }
        if starts { resumeScheduler.enqueue(self) }
    }

    /// Returns whether the caller must start a drain, and the addition. If the queue has ended or been closed, the
    /// addition is nil.
    private func place(
        _ element: Element, in state: inout State
    ) -> (starts: Bool, QueueBound.Addition<Element>?) {
        if state.isClosed || state.end != nil { return (false, nil) }
        let addition = source.bound.add(element, to: &state.waiting)
        guard addition.isAdded else { return (false, addition) }
        if addition.dropped != nil { counts?.skip() }
        counts?.enter()
        return (!exchange(&state.isDraining, with: true), addition)
    }

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
            switch source.admits(self, unless: isAtEnd) {
            case .goesOn: break
            case .parked: return false
            case .over:
                close()
                return false
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

@usableFromInline
final class LossySink<Element>: TerminalObserver<Element> {
    private let drain: LossyDrain<Element>

    @usableFromInline
    static func make(_ down: Sink<Element>, _ source: BoundarySource) -> SinkBase {
        LossySink(LossyDrain(down, source))
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
