internal import CRxCore

/// The last sink of the chain above a delay, and the source of the one below.
///
/// It has a queue in place of a gate, so that the source goes on while an element is delivered, and the moment of arrival is the true one.
/// One party at most delivers: see ``DelayState``.
@usableFromInline
final class DelaySink<Element>: LastSink<Element> {
    private let down: Sink<Element>
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let clock: SpanClock
    private let timer = SerialDisposable()
    private let queue: DelayQueue<Element>

    @usableFromInline
    init(_ disposer: SinkDisposer, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, _ below: inout Assembly) {
        down = below.sink(of: Element.self)
        self.dueTime = dueTime
        self.scheduler = scheduler
        clock = SpanClock(scheduler)
        queue = DelayQueue(span: dueTime.nanosecondsInInt)
        super.init(disposer) { base, element in
            unsafeDowncast(base, to: DelaySink<Element>.self).append(.next(element))
        }
        below.disposer.adopt(timer)
    }

    deinit {
        down.sourceIsGone()
    }

    @usableFromInline
    override func finish(_ error: (any Error)?) {
        disposer.dispose()
        guard let error else { return append(.completed) }
        if queue.withLock({ $0.fail(error) }) { down.end(error) }
    }

    private func append(_ event: Event<Element>) {
        let now = clock.now
        if queue.withLock({ $0.append(event, at: now) }) { setTimer(dueTime) }
    }

    private func setTimer(_ span: RxTimeInterval) {
        // Assigned first, because a scheduler may run the action there and then.
        let turn = SingleAssignmentDisposable()
        timer.disposable = turn
        turn.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) { [self] _ in
                deliverDue()
                return Disposables.create()
            })
    }

    private func deliverDue() {
        // A foreign scheduler orders what is due, and gets a timer for each event. One of ours gives way to others after so many.
        var burst = clock.isMonotonic ? 256 : 1
        var next = queue.withLock { $0.fired() }
        while down.isLive {
            switch next {
            case .deliver(let event): down.take(event)
            case .wait(let span): return setTimer(.span(span))
            case .fail(let error): return down.end(error)
            case .rest: return
            }
            burst -= 1
            let now = clock.now
            next = queue.withLock { [burst] in $0.delivered(at: now, mayGoOn: burst > 0) }
        }
    }
}

/// Guards: `state` is under the lock in `words`.
private final class DelayQueue<Element> {
    // The first stored property: the lock is an address in it.
    private let words = FlagAndLock()
    @exclusivity(unchecked)
    private var state: DelayState<Element>

    init(span: Int) {
        state = DelayState(span: span)
    }

    /// `body` calls nothing out.
    func withLock<Result>(_ body: (inout DelayState<Element>) -> Result) -> Result {
        FlagAndLock.lock(of: self).withLock { body(&state) }
    }
}
