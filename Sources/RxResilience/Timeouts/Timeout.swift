public import Dispatch
public import RxSwift

extension ObservableType {
    /// Ends this sequence with a ``TimeoutError`` when a span of time is exceeded: to the first element, between two,
    /// or in total.
    ///
    ///     source:                                        --1---2--------
    ///     timeout(first: 4 columns, between: 5 columns): --1---2----#
    ///
    /// ![An error when the source is silent for too long](marble-timeout-spans)
    ///
    /// `between` also bounds the time from the last element to the end; where nothing but the end comes, `first` does.
    /// A span between two elements begins when the first of them has been delivered: an observer that takes its time
    /// exceeds none. The error says which span it was.
    ///
    /// The error comes on `scheduler`, all else as this sequence sends it, one event at a time. With the error this
    /// sequence is disposed of; disposing of the result ends the timers, of which there are at most two.
    ///
    /// In a bounded subscription this sequence pauses with the result: `first` and `between` stand then, and with the
    /// resume a whole span begins. `total` goes on.
    ///
    /// - Parameters:
    ///   - first: the time to the first element.
    ///   - between: the time between two elements.
    ///   - total: the time to the end.
    ///   - scheduler: what measures the time.
    public func timeout(
        first: RxTimeInterval = .never, between: RxTimeInterval = .never, total: RxTimeInterval = .never,
        scheduler: any SchedulerType
    ) -> Observable<Element> {
        timeout(
            TimeoutSpans(first: first, between: between, total: total), scheduler,
            totalError: TimeoutError(exceeded: .total, limit: total))
    }

    func timeout(_ spans: TimeoutSpans, _ scheduler: any SchedulerType, totalError: TimeoutError)
        -> Observable<Element>
    {
        let source = asObservable()
        return .coordinated { TimeoutWatch($0, spans, totalError, scheduler).start(source) }
    }
}

extension PrimitiveSequence {
    /// Ends this sequence with a ``TimeoutError`` when it takes longer than a span of time.
    ///
    ///     request.timeout(total: .seconds(2), scheduler: scheduler)
    ///
    /// The error comes on `scheduler`. With the error this sequence is disposed of; disposing of the result ends the
    /// timer. An answer that has come in time is the end, however long it takes to deliver it.
    ///
    /// Pausing: the time goes on in a pause; an answer that comes meanwhile waits for the resume.
    ///
    /// - Parameters:
    ///   - total: the time there is, from the subscription.
    ///   - scheduler: what measures it.
    public func timeout(total: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        // The element comes with the end, so that no error follows it.
        PrimitiveSequence(raw: asObservable().timeout(total: total, scheduler: scheduler).takeLast(1))
    }
}

/// The bounds of one timeout.
struct TimeoutSpans {
    var first = RxTimeInterval.never
    var between = RxTimeInterval.never
    var total = RxTimeInterval.never
}

/// One subscription to a timeout.
///
/// On each element the timer for the silence is left as it is, where it fires early enough: it then sleeps for the
/// rest.
///
/// Guards: `isFirst`, `bound` and `alarm` are those of the thread that is within `result`.
private final class TimeoutWatch<Element> {
    private let result: Coordination<Element>
    private let spans: TimeoutSpans
    private let totalError: TimeoutError
    private let clock: SpanClock
    private let silence: Countdown
    private let total: Countdown
    private var isFirst = true
    /// When the present silence is too long, and when the timer fires; the clock's nanoseconds.
    private var bound = Int.max
    private var alarm = Int.max

    init(
        _ result: Coordination<Element>, _ spans: TimeoutSpans, _ totalError: TimeoutError,
        _ scheduler: any SchedulerType
    ) {
        self.result = result
        self.spans = spans
        self.totalError = totalError
        clock = SpanClock(scheduler)
        let carrying = ContextScheduler.capturing(for: scheduler)
        silence = Countdown(carrying)
        total = Countdown(carrying)
    }

    func start(_ source: Observable<Element>) -> any Disposable {
        expect()
        // From here on the rest is done within.
        result.onResume { [weak self] in self?.expect() }
        total.set(spans.total) { _ in
            self.result.enter { self.total.restore { self.result.send(.error(self.totalError)) } }
        }
        result.subscribe(source, take)
        return Disposables.create(silence, total)
    }

    private func take(_ event: Event<Element>) {
        guard event.element != nil else { return result.send(event) }
        isFirst = false
        bound = .max
        result.send(event)
        expect()
    }

    /// A silence begins.
    private func expect() {
        let span = isFirst ? spans.first : spans.between
        guard span != .never, result.isLive else { return }
        bound = clock.now.advanced(bySaturating: span.nanosecondsInInt)
        if bound < alarm { setAlarm(span) }
    }

    private func fire() {
        let rung = exchange(&alarm, with: .max)
        guard bound < .max else { return }
        let now = clock.now
        if clock.time(now, atAlarmFor: rung) < bound { return setAlarm(.nanoseconds(bound.span(since: now))) }
        // The source is silent because it is paused; with the resume a whole span begins.
        if result.keepsForResume(self) { return expect() }
        result.send(
            .error(
                isFirst
                    ? TimeoutError(exceeded: .first, limit: spans.first)
                    : TimeoutError(exceeded: .between, limit: spans.between)))
    }

    private func setAlarm(_ span: RxTimeInterval) {
        alarm = bound
        silence.set(span) { turn in
            // Another thread may do this, later.
            self.result.enter { if !turn.isDisposed { self.silence.restore { self.fire() } } }
        }
    }
}
