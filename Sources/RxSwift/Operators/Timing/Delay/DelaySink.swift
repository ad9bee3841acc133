internal import CRxCore
public import Dispatch

/// The terminal observer of the chain above a delay. At most one thread delivers; see ``DelayState``.
@usableFromInline
final class DelaySink<Element>: TerminalObserver<Element> {
    @usableFromInline
    let down: Sink<Element>
    @usableFromInline
    let dueTime: RxTimeInterval
    @usableFromInline
    let scheduler: any SchedulerType
    @usableFromInline
    let clock: SpanClock
    @usableFromInline
    let timer = SerialDisposable()
    @usableFromInline
    let queue: DelayQueue<Element>
    @usableFromInline
    let bound: DelayBound?

    @inlinable
    init(
        _ lifetime: ChainLifetime, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType,
        _ below: inout SubscribeContext,
        _ bound: DelayBound? = nil
    ) {
        self.bound = bound
        down = below.takeTop(for: Element.self)
        self.dueTime = dueTime
        self.scheduler = scheduler
        clock = SpanClock(scheduler)
        queue = DelayQueue(span: dueTime.nanosecondsInInt)
        super.init(
            lifetime,
            push: bound == nil
                ? { unsafeDowncast($0, to: DelaySink<Element>.self).append(.next($1)) }
                : { unsafeDowncast($0, to: DelaySink<Element>.self).appendBounded($1) })
        below.lifetime.adopt(timer)
    }

    deinit {
        down.sourceIsGone()
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        lifetime.dispose()
        guard let error else { return append(.completed) }
        if queue.withLock({ $0.fail(error) }) { down.end(error) }
    }

    @inlinable
    func append(_ event: Event<Element>) {
        let now = clock.now
        if queue.withLock({ $0.append(event, at: now) }) { setTimer(dueTime) }
    }

    @inlinable
    @inline(never)
    func setTimer(_ span: RxTimeInterval) {
        // `timer` is set before the action is scheduled, because the scheduler may run the action at once.
        let turn = SingleAssignmentDisposable()
        nonisolated(unsafe) let sink = self  // only the action of the current timer delivers
        timer.disposable = turn
        turn.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) { _ in
                if sink.bound == nil { sink.deliverDue() } else { sink.deliverBounded(after: .timer) }
                return Disposables.create()
            })
    }

    @inlinable
    @inline(never)
    func deliverDue() {
        // On a scheduler without a monotonic clock, each action delivers one event, because the scheduler orders all
        // due jobs. With a monotonic clock, an action delivers at most 256 events, so that other jobs can run.
        var burst = clock.isMonotonic ? 256 : 1
        var next = queue.withLock { $0.fired() }
        while down.isLive {
            switch next {
            case .deliver(let event): down.take(event)
            case .wait(let span): return setTimer(.span(span))
            case .fail(let error): return down.end(error)
            case .rest, .park: return
            }
            burst -= 1
            let now = clock.now
            next = queue.withLock { [burst] in $0.delivered(at: now, mayGoOn: burst > 0) }
        }
    }
}

/// Guards: `state` is protected by the lock in `words`.
@usableFromInline
final class DelayQueue<Element> {
    // The first stored property, because `FlagAndLock.lock(of: self)` returns the address of its lock.
    @usableFromInline
    let words = FlagAndLock()
    @usableFromInline
    @exclusivity(unchecked)
    var state: DelayState<Element>

    @inlinable
    init(span: Int) {
        state = DelayState(span: span)
    }

    /// `body` must not call user code.
    @inlinable
    @inline(__always)
    func withLock<Result>(_ body: (inout DelayState<Element>) -> Result) -> Result {
        FlagAndLock.lock(of: self).withLock { body(&state) }
    }
}
