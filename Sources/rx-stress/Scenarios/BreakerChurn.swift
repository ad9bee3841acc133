import RxResilience
import RxSwift

struct BreakerChurn: Scenario {
    static let name = "breaker"
    static let summary = "Trials of a half-open circuit breaker are disposed of while they end: each is returned once"

    func round(_ round: Round) {
        let trials = 1 + round.random.below(3)
        // The breaker ignores the calls' errors (`Failure`), so it stays half-open.
        let breaker = CircuitBreaker(
            "soak", window: .calls(1), minimumCalls: 1, openFor: .nanoseconds(0), trials: trials,
            judging: { $0 is Failure ? .ignored : .failure })
        let check = PermitCheck(limit: trials, "breaker", round.violations)
        _ = Observable<Int>.error(Fatal()).guarded(by: breaker).subscribe(onError: { _ in })
        round.expect(breaker.state == .open, "the breaker did not open")
        let pairs = Pairs(round)

        round.run { worker in
            // The source ends with an error, because a completion would count as a success and close the breaker.
            pairs.race(worker, check, calls: 60) { source in
                source.concat(Observable.error(Failure())).guarded(by: breaker)
            }
        }

        // Now exactly `trials` calls are admitted.
        let subscriptions = (0...(2 * trials)).map { _ in
            Observable<Int>.create { _ in
                let call = check.begin()
                return Disposables.create { call.end() }
            }
            .guarded(by: breaker)
        }
        nonisolated(unsafe) var refused = 0
        let running = subscriptions.map { $0.subscribe(onError: { _ in refused += 1 }) }
        for subscription in running { subscription.dispose() }
        round.expect(breaker.state == .halfOpen, "the breaker is \(breaker.state)")
        check.finish(available: subscriptions.count - refused)
    }

    private struct Fatal: Error {}
}
