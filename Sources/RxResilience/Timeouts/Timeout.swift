public import Dispatch
public import RxSwift

extension ObservableType {
    /// Fails with a ``TimeoutError`` when a span of time is exceeded: until the first element, between two elements, or
    /// in total.
    ///
    ///     source:                                        --1---2--------
    ///     timeout(first: 4 columns, between: 5 columns): --1---2----#
    ///
    /// ![An error when the source is silent for too long](marble-timeout-spans)
    ///
    /// `between` also limits the time from the last element to the end. Without an element, `first` limits the time to
    /// the end. A span between two elements begins when the earlier element has been delivered, so a slow observer
    /// causes no timeout.
    ///
    /// The error is sent on `scheduler`, and this sequence is disposed of. Disposing of the result ends its timers.
    ///
    /// In a bounded subscription this sequence pauses with the result. During a pause, the timers of `first` and
    /// `between` stop; they begin again at the resume. The timer of `total` continues.
    public func timeout(
        first: RxTimeInterval = .never, between: RxTimeInterval = .never, total: RxTimeInterval = .never,
        scheduler: any SchedulerType
    ) -> Observable<Element> {
        let spans = TimeoutSpans(first: first, between: between, total: total)
        return timeout(scheduler, "timeout") { spans }
    }

    /// - Parameter spans: called once for each subscription, on the subscribing thread.
    func timeout(
        _ scheduler: any SchedulerType, _ name: String, _ spans: @escaping @Sendable () -> TimeoutSpans
    ) -> Observable<Element> {
        let source = asObservable()
        return .coordinated { result in
            let spans = spans()
            let error = TimeoutError(exceeded: .total, limit: spans.total)
            return TimeoutWatch(name, result, spans, error, scheduler).start(source)
        }
    }

    func timeout(
        _ spans: TimeoutSpans, _ scheduler: any SchedulerType, _ name: String, totalError: TimeoutError
    ) -> Observable<Element> {
        let source = asObservable()
        return .coordinated { TimeoutWatch(name, $0, spans, totalError, scheduler).start(source) }
    }
}

extension PrimitiveSequence {
    /// Fails with a ``TimeoutError`` if this sequence takes longer than a span of time.
    ///
    ///     request.timeout(total: .seconds(2), scheduler: scheduler)
    ///
    /// The error is sent on `scheduler`, and this sequence is disposed of. An element that comes in time waits for the
    /// completion, so it may be delivered after the timeout.
    ///
    /// Pausing: the timer continues during a pause. The element and the end are sent even during a pause, unless the
    /// source or an upstream operator holds them back. To hold them back, put `observe(on:)` after this operator.
    public func timeout(total: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        let spans = TimeoutSpans(total: total, endsWithElement: true)
        return asObservable().timeout(scheduler, "timeout") { spans }.elementAtCompletion()
    }
}

extension Observable {
    /// Holds the element back until the completion, so no error can follow it. Unlike `takeLast(1)`, sends the element
    /// even during a pause. If the end of a call waited for the resume, the call would keep its permit, and could miss
    /// its deadline, although it has succeeded.
    func elementAtCompletion<Trait>() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: lift(TakeLast(1)))
    }
}

struct TimeoutSpans {
    var first = RxTimeInterval.never
    var between = RxTimeInterval.never
    var total = RxTimeInterval.never
    /// Whether the first element stops the timer of `total`, as for a single.
    var endsWithElement = false
}

/// Each element moves `bound`, but sets the silence timer only if the timer would fire too late. If the timer fires
/// before `bound`, it is set again. So most elements set no timer.
///
/// Guards: `isFirst`, `bound` and `alarm` are used only inside the gate of `result`, so by one thread at a time.
/// Exception: `start` calls `expect` outside the gate, before any source or timer exists.
private final class TimeoutWatch<Element> {
    private let name: String
    private let result: Coordination<Element>
    private let spans: TimeoutSpans
    private let totalError: TimeoutError
    private let clock: SpanClock
    private let silence: Countdown
    private let total: Countdown
    private var isFirst = true
    /// When the next element is overdue, in the clock's nanoseconds.
    private var bound = Int.max
    /// When the silence timer fires, in the clock's nanoseconds.
    private var alarm = Int.max

    init(
        _ name: String, _ result: Coordination<Element>, _ spans: TimeoutSpans, _ totalError: TimeoutError,
        _ scheduler: any SchedulerType
    ) {
        self.name = name
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
        result.onResume { [weak self] in self?.expect() }
        total.set(spans.total) { turn in
            // `enter` may run this closure later. By then, the timer may have been cancelled.
            self.result.enter { if !turn.isDisposed { self.total.restore { self.fail(self.totalError) } } }
        }
        result.subscribe(source, take)
        return Disposables.create(silence, total)
    }

    private func take(_ event: Event<Element>) {
        guard event.element != nil else { return result.send(event) }
        isFirst = false
        bound = .max
        if spans.endsWithElement { total.dispose() }
        result.send(event)
        expect()
    }

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
        // A span that ends during a pause is not a timeout. A new span begins at the resume.
        if result.keepsForResume(self) { return expect() }
        fail(
            isFirst
                ? TimeoutError(exceeded: .first, limit: spans.first)
                : TimeoutError(exceeded: .between, limit: spans.between))
    }

    private func fail(_ error: TimeoutError) {
        if result.isLive { error.tell(name) }
        result.send(.error(error))
    }

    private func setAlarm(_ span: RxTimeInterval) {
        alarm = bound
        silence.set(span) { turn in
            self.result.enter { if !turn.isDisposed { self.silence.restore { self.fire() } } }
        }
    }
}
