public import Dispatch
public import RxSwift

extension ObservableType {
    /// Asks again where no answer has come after a while, and takes the answer that comes first.
    ///
    ///     source, the first time:   ----------1|
    ///     source, the second time:        ---1|
    ///     hedged(after: 6 columns): ---------1|
    ///
    /// ![A second attempt, and the answer that is first](marble-hedged)
    ///
    /// What this is for, and its price, is in <doc:Hedging>: it cuts the slowest answers off, for calls that may be
    /// made twice.
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
    /// of them. In a bounded subscription they pause with the result; hedges are made as their time comes.
    ///
    /// - Parameters:
    ///   - span: how long each hedge waits after the subscription before it.
    ///   - most: how many hedges there are at most; less than 0 stops the process.
    ///   - budget: what calls together may spend on retries and hedges: a hedge takes a token, and where there is none,
    ///     no more hedges are made.
    ///   - scheduler: what measures the time.
    public func hedged(
        after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        if most < 0 { rxFatalError("A count can't be negative", operator: "hedged", argument: "most", value: most) }
        let source = asObservable()
        return .coordinated { result in
            budget?.recordCall()
            let race = HedgedRace(result, source.subscribedLater(), after: span, most: most, budget, scheduler)
            _ = race.subscribe()
            return race
        }
    }
}

extension PrimitiveSequence {
    /// Asks again where no answer has come after a while, and takes the answer that comes first.
    ///
    /// As ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)``. The answer of a completable is its
    /// completion.
    ///
    /// - Parameters:
    ///   - span: how long each hedge waits after the subscription before it.
    ///   - most: how many hedges there are at most; less than 0 stops the process.
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
/// Who wins is decided once. From then on the events are those of one subscription, which sends them one at a time;
/// what another one sends, or has yet to send, is dropped. An answer waits for no hedge that is being subscribed to; it
/// waits while an attempt that has failed is torn down.
///
/// Guards: `state` has a lock of its own, which is held in no call-out; the rest never changes.
// @unchecked Sendable because of that guard.
private final class HedgedRace<Element>: Disposable, @unchecked Sendable {
    private typealias Runner = SingleAssignmentDisposable

    private struct State {
        /// How many hedges may follow.
        var left: Int
        /// Those that run, and have not answered.
        var runners: [Runner] = []
        var winner: Runner?
        var isDisposed = false

        var isOpen: Bool { winner == nil && !isDisposed }
    }

    private enum Verdict {
        /// It is the winner's.
        case heard
        /// It comes too late.
        case dropped
        /// It is an error while others run.
        case failed
        /// It is the first answer: the others are to be disposed of.
        case won([Runner])
    }

    private let result: Coordination<Element>
    private let source: Observable<Element>
    private let span: RxTimeInterval
    private let budget: RetryBudget?
    private let alarm: Countdown
    private let state: Locked<State>

    init(
        _ result: Coordination<Element>, _ source: Observable<Element>, after span: RxTimeInterval, most: Int,
        _ budget: RetryBudget?, _ scheduler: any SchedulerType
    ) {
        self.result = result
        self.source = source
        self.span = span
        self.budget = budget
        state = Locked(State(left: most))
        alarm = Countdown(scheduler)
    }

    /// Subscribes once more, unless there is an answer, or nobody who waits for one: then it returns false.
    func subscribe() -> Bool {
        let runner = Runner()
        let (isOpen, hasNext) = state.withLock { state in
            guard state.isOpen else { return (false, false) }
            state.runners.append(runner)
            state.left -= 1
            return (true, state.left >= 0)
        }
        if hasNext { alarm.set(span) { _ in self.hedge() } }
        if isOpen { runner.setDisposable(result.subscribe(source) { self.take($0, of: runner) }) }
        return isOpen
    }

    private func hedge() {
        guard state.withLock({ $0.isOpen }), budget?.takeRetry() ?? true else { return }
        if !subscribe() { budget?.giveBack() }
    }

    private func take(_ event: Event<Element>, of runner: Runner) {
        switch state.withLock({ place(event, of: runner, in: &$0) }) {
        case .heard: break
        case .dropped: return
        case .failed: return runner.dispose()
        case .won(let losers):
            alarm.dispose()
            for loser in losers { loser.dispose() }
        }
        result.send(event)
    }

    /// What is to be done with an event.
    private func place(_ event: Event<Element>, of runner: Runner, in state: inout State) -> Verdict {
        if state.winner === runner { return .heard }
        guard let place = state.runners.firstIndex(where: { $0 === runner }) else { return .dropped }
        state.runners.remove(at: place)
        if case .error = event, !state.runners.isEmpty { return .failed }
        state.winner = runner
        return .won(exchange(&state.runners, with: []))
    }

    func dispose() {
        let all = state.withLock { state in
            state.isDisposed = true
            return exchange(&state.runners, with: []) + [state.winner].compactMap { $0 }
        }
        alarm.dispose()
        for runner in all { runner.dispose() }
    }
}
