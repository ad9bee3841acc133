public import Dispatch
public import RxSwift

extension ObservableType {
    /// Subscribes once more if no answer has come within `span`, and forwards the events of the subscription that
    /// answers first.
    ///
    ///     source, the first time:   ----------1|
    ///     source, the second time:        ---1|
    ///     hedged(after: 6 columns): ---------1|
    ///
    /// ![A second attempt, and the answer that is first](marble-hedged)
    ///
    /// Use this only for calls that may be repeated; see <doc:Hedging>.
    ///
    ///     read.hedged(after: .milliseconds(50), budget: replicas, scheduler: scheduler)
    ///
    /// An answer is the first element of a subscription, or its completion without an element. An answer ends the other
    /// subscriptions. An error is dropped while another subscription runs. If the last running subscription fails, the
    /// result fails with that error, and no further subscription is made.
    ///
    /// The first subscription is made on the subscribing thread. Each further subscription is a *hedge*. It is made on
    /// `scheduler`, `span` after the previous one, under the subscriber's ``Deadline``. At most `most` hedges are made;
    /// a negative `most` stops the process. If there is a `budget`, each hedge takes a token from it. If the budget is
    /// empty, no more hedges are made.
    ///
    /// Disposing of the result disposes of all subscriptions. In a bounded subscription all subscriptions pause with
    /// the result. Hedges are made even during a pause.
    public func hedged(
        after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        hedged(as: "hedged", after: span, most: most, budget: budget, scheduler: scheduler)
    }

    /// Like `hedged`, with a name that ``Resilience/observe(_:)`` reports.
    ///
    /// See ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)``.
    public func hedged(
        as name: String, after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil,
        scheduler: any SchedulerType
    ) -> Observable<Element> {
        if most < 0 { rxFatalError("A count can't be negative", operator: "hedged", argument: "most", value: most) }
        let source = asObservable()
        return .coordinated { result in
            budget?.recordCall()
            let race = HedgedRace(name, result, source.subscribedLater(), after: span, most: most, budget, scheduler)
            _ = race.subscribe()
            return race
        }
    }
}

extension PrimitiveSequence {
    /// Subscribes once more if no answer has come within `span`, and forwards the first answer.
    ///
    /// See ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)``. A completable answers with its completion.
    public func hedged(
        after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: asObservable().hedged(after: span, most: most, budget: budget, scheduler: scheduler))
    }

    /// Like `hedged`, with a name that ``Resilience/observe(_:)`` reports.
    ///
    /// See ``RxSwift/PrimitiveSequence/hedged(after:most:budget:scheduler:)``.
    public func hedged(
        as name: String, after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil,
        scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: asObservable().hedged(as: name, after: span, most: most, budget: budget, scheduler: scheduler))
    }
}

/// `hedge` subscribes outside the gate of `result`, so a slow subscription does not delay another answer.
///
/// Guards: `state` has a lock, which is not held during call-outs. The other properties never change.
// @unchecked Sendable because of these guards.
private final class HedgedRace<Element>: Disposable, @unchecked Sendable {
    private typealias Runner = SingleAssignmentDisposable

    private struct State {
        var left: Int
        var runners: [Runner] = []
        var first: Runner?
        var winner: Runner?
        /// Unsent events of the winner; nil if there are none. They are sent in order, after the losers were disposed
        /// of.
        var waiting: [Event<Element>]?
        var isDisposed = false

        var isOpen: Bool { winner == nil && !isDisposed }

        mutating func nextWaiting() -> Event<Element>? {
            let next = waiting?.removeFirst()
            // `waiting` is nil before the last event is sent, so an event that the observer then causes is sent at
            // once.
            if waiting?.isEmpty == true { waiting = nil }
            return next
        }
    }

    private enum Verdict {
        case heard
        case waits
        case dropped
        /// The event is an error, and other subscriptions run.
        case failed
        /// The event is the first answer, or the error of the last running subscription. The caller disposes of the
        /// losers.
        case won([Runner], byHedge: Bool)
    }

    private let name: String
    private let result: Coordination<Element>
    private let source: Observable<Element>
    private let span: RxTimeInterval
    private let budget: RetryBudget?
    private let alarm: Countdown
    private let state: Locked<State>

    init(
        _ name: String, _ result: Coordination<Element>, _ source: Observable<Element>, after span: RxTimeInterval,
        most: Int, _ budget: RetryBudget?, _ scheduler: any SchedulerType
    ) {
        self.name = name
        self.result = result
        self.source = source
        self.span = span
        self.budget = budget
        state = Locked(State(left: most))
        alarm = Countdown(scheduler)
    }

    /// Returns false if there is an answer or the result was disposed of.
    func subscribe(isHedge: Bool = false) -> Bool {
        let runner = Runner()
        let (isOpen, hasNext) = state.withLock { state in
            guard state.isOpen else { return (false, false) }
            state.runners.append(runner)
            if state.first == nil { state.first = runner }
            state.left -= 1
            return (true, state.left >= 0)
        }
        if hasNext { alarm.set(span) { _ in self.hedge() } }
        if isOpen, isHedge { Resilience.tell(.hedge, name, .hedged) }
        if isOpen { runner.setDisposable(result.subscribe(source) { self.take($0, of: runner) }) }
        return isOpen
    }

    private func hedge() {
        guard state.withLock({ $0.isOpen }), budget?.takeRetry() ?? true else { return }
        if !subscribe(isHedge: true) { budget?.giveBack() }
    }

    private func take(_ event: Event<Element>, of runner: Runner) {
        switch state.withLock({ place(event, of: runner, in: &$0) }) {
        case .heard: result.send(event)
        case .waits, .dropped: break
        case .failed: runner.dispose()
        case .won(let losers, let byHedge):
            Resilience.tell(.hedge, name, .answered(byHedge: byHedge))
            alarm.dispose()
            for loser in losers { loser.dispose() }
            while let next = state.withLock({ $0.nextWaiting() }) { result.send(next) }
        }
    }

    private func place(_ event: Event<Element>, of runner: Runner, in state: inout State) -> Verdict {
        if state.winner === runner {
            if state.waiting == nil { return .heard }
            state.waiting?.append(event)
            return .waits
        }
        guard let place = state.runners.firstIndex(where: { $0 === runner }) else { return .dropped }
        state.runners.remove(at: place)
        if case .error = event, !state.runners.isEmpty { return .failed }
        (state.winner, state.waiting) = (runner, [event])
        return .won(exchange(&state.runners, with: []), byHedge: runner !== state.first)
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
