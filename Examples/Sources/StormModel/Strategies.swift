import RxResilience

extension Strategy {
    /// The strategies to compare; the first has no protection. `ratio` is the share of calls that may be retried under
    /// a budget.
    public static func all(ratio: Double = 0.1) -> [Strategy] {
        [.plain, .budget(ratio: ratio), .budgetAndBreaker(ratio: ratio)]
    }

    public static let plain = Strategy("plain retries") { _ in Protection() }

    public static func budget(ratio: Double) -> Strategy {
        Strategy("retries under a budget") { _ in Protection(budget: RetryBudget(ratio: ratio)) }
    }

    /// Retries under a budget, around a breaker that all calls share.
    ///
    /// While the breaker is open, the service empties its queue. If the five trial calls then come together, the
    /// service answers them within half of a client's timeout.
    public static func budgetAndBreaker(ratio: Double) -> Strategy {
        Strategy("a budget and a breaker") { scheduler in
            let breaker = CircuitBreaker(
                "service", window: .calls(20), minimumCalls: 20, failureRate: 0.5, openFor: .seconds(1), trials: 5,
                scheduler: scheduler)
            return Protection(budget: RetryBudget(ratio: ratio), guarding: { $0.guarded(by: breaker) })
        }
    }
}
