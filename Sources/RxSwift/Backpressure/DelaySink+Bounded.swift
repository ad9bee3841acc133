internal import CRxCore

/// Guards: the lock of the delay's queue protects `hasDroppedFirst`.
@usableFromInline
final class DelayBound {
    fileprivate let source: BoundarySource
    /// Whether the event for which the timer is set has been dropped.
    fileprivate var hasDroppedFirst = false

    init(_ source: BoundarySource) {
        self.source = source
    }
}

extension DelaySink {
    @usableFromInline
    func appendBounded(_ element: Element) {
        let delay = bound.unsafelyUnwrapped
        let bound = delay.source.bound
        let now = clock.now
        let (addition, starts) = queue.withLock { state in
            let addition = bound.add(state.item(.next(element), at: now), to: &state.waiting)
            if addition.isAdded && addition.dropped != nil { delay.hasDroppedFirst = true }
            return (addition, addition.isAdded && state.startsTimer())
        }
        let error = bound.finish(addition)
        if starts { setTimer(dueTime) }
        // Like an error of the source, an overflow drops the waiting elements.
        if let error, queue.withLock({ $0.fail(error) }) { down.end(error) }
    }

    @usableFromInline
    func deliverBounded(after actor: DelayState<Element>.Actor) {
        let bound = bound.unsafelyUnwrapped
        var worklist = PauseWorklist(turnOf: bound.source.resumeScheduler)
        defer { worklist.finish() }
        guard queue.withLock({ $0.begin(after: actor) }) else { return }
        // If the timer has fired, the first event is due, even if a coarse clock shows an earlier time.
        var rings = actor == .timer
        var left = clock.isMonotonic ? 256 : 1
        while down.isLive {
            let now = clock.now
            let isPaused = crx_pause_is_paused(crx_pause_word(down.chain))
            let next = queue.withLock { state in
                let isDue = rings && !bound.hasDroppedFirst
                let next = state.next(at: now, isDue: isDue, mayGoOn: left > 0, isPaused: isPaused)
                if state.actor != .delivery { bound.hasDroppedFirst = false }
                let limit = bound.source.bound
                if limit.settle(state.waiting.count) { worklist.notifies(limit.source) }
                return next
            }
            worklist.notifyAll()
            switch next {
            case .deliver(let event):
                if case .next = event { bound.source.counters?.left() }
                down.take(event)
            case .wait(let span): return setTimer(.span(span))
            case .fail(let error): return down.end(error)
            case .rest: return
            case .park:
                switch bound.source.park(DelayResumption(self, bound.source.resumeScheduler)) {
                case .parked, .over: return
                case .goesOn: if !queue.withLock({ $0.begin(after: .resume) }) { return }
                }
            }
            rings = false
            left -= 1
        }
    }
}

extension DelayState {
    fileprivate mutating func begin(after expected: Actor) -> Bool {
        guard actor == expected else { return false }
        actor = .delivery
        return true
    }

    /// If `isDue` is true, the first event is due regardless of the clock.
    fileprivate mutating func next(at now: Int, isDue: Bool, mayGoOn: Bool, isPaused: Bool) -> Next {
        if let failure { return .fail(failure) }
        guard let first = waiting.first else {
            actor = .nobody
            return .rest
        }
        let rest = isDue ? 0 : first.due.span(since: now)
        if rest > 0 || !mayGoOn {
            actor = .timer
            return .wait(max(rest, 0))
        }
        if isPaused, case .next = first.event {
            actor = .resume
            return .park
        }
        return .deliver(waiting.removeFirst().event)
    }
}

private final class DelayResumption<Element>: FlowJob, @unchecked Sendable {  // immutable
    private let sink: DelaySink<Element>

    init(_ sink: DelaySink<Element>, _ resumeScheduler: ResumeScheduler) {
        self.sink = sink
        super.init(resumeScheduler: resumeScheduler) {
            unsafeDowncast($0, to: DelayResumption<Element>.self).sink.deliverBounded(after: .resume)
            return false
        }
    }
}
