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
        return .create { observer in
            let watch = TimeoutWatch(observer, spans, totalError, scheduler)
            return takingInputs(from: { watch.start(source, $0) }, watch.take)
        }
    }
}

extension PrimitiveSequence {
    /// Ends this sequence with a ``TimeoutError`` when it takes longer than a span of time.
    ///
    /// The error comes on `scheduler`. With the error this sequence is disposed of; disposing of the result ends the
    /// timer.
    ///
    /// - Parameters:
    ///   - total: the time there is, from the subscription.
    ///   - scheduler: what measures it.
    public func timeout(total: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: asObservable().timeout(total: total, scheduler: scheduler))
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
/// Guards: `isFirst`, `bound` and `alarm` are those of the thread that takes the inputs.
private final class TimeoutWatch<Element> {
    enum Input {
        case event(Event<Element>)
        /// A timer is due, unless it has been called off.
        case silence(SingleAssignmentDisposable)
        case total
    }

    private let observer: AnyObserver<Element>
    private let spans: TimeoutSpans
    private let totalError: TimeoutError
    private let clock: SpanClock
    private let silence: Countdown
    private let total: Countdown
    private var inputs: AnyObserver<Input>?
    private var isFirst = true
    /// When the present silence is too long, and when the timer fires; the clock's nanoseconds.
    private var bound = Int.max
    private var alarm = Int.max

    init(
        _ observer: AnyObserver<Element>, _ spans: TimeoutSpans, _ totalError: TimeoutError,
        _ scheduler: any SchedulerType
    ) {
        self.observer = observer
        self.spans = spans
        self.totalError = totalError
        clock = SpanClock(scheduler)
        let carrying = ContextScheduler.capturing(for: scheduler)
        silence = Countdown(carrying)
        total = Countdown(carrying)
    }

    func start(_ source: Observable<Element>, _ inputs: AnyObserver<Input>) -> any Disposable {
        self.inputs = inputs
        expect(within: spans.first)
        total.set(spans.total) { _ in inputs.onNext(.total) }
        return Disposables.create(source.subscribe { inputs.onNext(.event($0)) }, silence, total)
    }

    func take(_ input: Input) {
        switch input {
        case .event(.next(let element)):
            isFirst = false
            bound = .max
            observer.onNext(element)
            expect(within: spans.between)
        case .event(let end): observer.on(end)
        case .total: total.restore { observer.onError(totalError) }
        case .silence(let turn): if !turn.isDisposed { silence.restore { fire() } }
        }
    }

    private func expect(within span: RxTimeInterval) {
        guard span != .never else { return }
        bound = clock.now.advanced(bySaturating: span.nanosecondsInInt)
        if bound < alarm { setAlarm(span) }
    }

    private func fire() {
        alarm = .max
        guard bound < .max else { return }
        let rest = bound.span(since: clock.now)
        guard rest <= 0 else { return setAlarm(.nanoseconds(rest)) }
        observer.onError(
            isFirst
                ? TimeoutError(exceeded: .first, limit: spans.first)
                : TimeoutError(exceeded: .between, limit: spans.between))
    }

    private func setAlarm(_ span: RxTimeInterval) {
        guard let inputs else { return }
        alarm = bound
        silence.set(span) { inputs.onNext(.silence($0)) }
    }
}
