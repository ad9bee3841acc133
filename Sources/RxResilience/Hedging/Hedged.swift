public import Dispatch
public import RxSwift

extension ObservableType {
    /// Asks again where no answer has come after a while, and takes the answer that comes first.
    ///
    ///     source, the first time:  ----------1|
    ///     source, the second time:       ---1|
    ///     hedged(after: 6 columns): --------1|
    ///
    /// What this is for, and its price, is in <doc:Hedging>: it cuts the slowest answers off, for calls that may be made
    /// twice.
    ///
    ///     read.hedged(after: .milliseconds(50), budget: replicas, scheduler: scheduler)
    ///
    /// The first element, or a completion without one, is an answer: from then on that subscription alone is heard, and
    /// the others have been disposed of. An error is none while another subscription runs: it is dropped. When none
    /// runs any more, the last error ends the result and no hedge follows: to try again after an error is what `retry`
    /// does.
    ///
    /// The first subscription is made by who subscribes, the hedges on `scheduler`, all under the ``Deadline`` of the
    /// subscription. Events come as the subscriptions send them, one at a time. Disposing of the result disposes of all
    /// of them.
    ///
    /// - Parameters:
    ///   - span: how long each hedge waits after the subscription before it.
    ///   - most: how many hedges there are at most.
    ///   - budget: what calls together may spend on retries and hedges: a hedge takes a token, and where there is none,
    ///     no more hedges are made.
    ///   - scheduler: what measures the time.
    public func hedged(
        after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        let source = asObservable()
        return .create { observer in
            budget?.recordCall()
            let race = HedgedRace(
                observer, source.subscribed(under: Deadline.current), after: span, most: most, budget, scheduler)
            return takingInputs(from: race.start, race.take)
        }
    }
}

extension PrimitiveSequence {
    /// Asks again where no answer has come after a while, and takes the answer that comes first.
    ///
    /// As ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)``. The answer of a completable is its completion.
    ///
    /// - Parameters:
    ///   - span: how long each hedge waits after the subscription before it.
    ///   - most: how many hedges there are at most.
    ///   - budget: what calls together may spend on retries and hedges.
    ///   - scheduler: what measures the time.
    public func hedged(
        after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: asObservable().hedged(after: span, most: most, budget: budget, scheduler: scheduler))
    }
}

/// One subscription to a hedged sequence.
///
/// Guards: all that changes is that of the thread that takes the inputs; before the first subscription it is that of
/// the one that subscribes.
private final class HedgedRace<Element> {
    enum Input {
        /// An event of a runner, and which one it is.
        case event(Event<Element>, SingleAssignmentDisposable)
        case hedge(SingleAssignmentDisposable)
    }

    private let observer: AnyObserver<Element>
    private let source: Observable<Element>
    private let span: RxTimeInterval
    private let budget: RetryBudget?
    private let alarm: Countdown
    /// All of them, for who disposes of the result.
    private let all = CompositeDisposable()
    private var inputs: AnyObserver<Input>?
    /// How many hedges may follow.
    private var left: Int
    /// Those that run, and have not answered.
    private var runners: [SingleAssignmentDisposable] = []
    private var winner: SingleAssignmentDisposable?

    init(
        _ observer: AnyObserver<Element>, _ source: Observable<Element>, after span: RxTimeInterval, most: Int,
        _ budget: RetryBudget?, _ scheduler: any SchedulerType
    ) {
        self.observer = observer
        self.source = source
        self.span = span
        self.budget = budget
        left = most
        alarm = Countdown(scheduler)
    }

    func start(_ inputs: AnyObserver<Input>) -> any Disposable {
        self.inputs = inputs
        _ = all.insert(alarm)
        subscribe()
        return all
    }

    func take(_ input: Input) {
        switch input {
        case .event(let event, let runner) where runner === winner: observer.on(event)
        case .event(let event, let runner): take(event, of: runner)
        case .hedge(let turn): if !turn.isDisposed { hedge() }
        }
    }

    private func take(_ event: Event<Element>, of runner: SingleAssignmentDisposable) {
        guard winner == nil, let place = runners.firstIndex(where: { $0 === runner }) else { return }
        runners.remove(at: place)
        if case .error = event, !runners.isEmpty { return runner.dispose() }
        winner = runner
        let losers = runners
        runners = []
        alarm.dispose()
        for loser in losers { loser.dispose() }
        observer.on(event)
    }

    private func hedge() {
        guard winner == nil, !runners.isEmpty, budget?.takeRetry() ?? true else { return }
        subscribe()
    }

    private func subscribe() {
        guard let inputs else { return }
        let runner = SingleAssignmentDisposable()
        runners.append(runner)
        _ = all.insert(runner)
        if left > 0 {
            left -= 1
            alarm.set(span) { inputs.onNext(.hedge($0)) }
        }
        runner.setDisposable(source.subscribe { inputs.onNext(.event($0, runner)) })
    }
}
