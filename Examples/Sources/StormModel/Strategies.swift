import RxResilience

extension Strategy {
    /// Those that are compared: the first one is the one without protection.
    ///
    /// - Parameter ratio: what part of the calls may be tried again, under a budget.
    public static func all(ratio: Double = 0.1) -> [Strategy] {
        [.plain, .budget(ratio: ratio), .budgetAndBreaker(ratio: ratio)]
    }

    /// Retries that nothing bounds but their number.
    public static let plain = Strategy("plain retries") { _ in Protection() }

    /// Retries that all calls together have a budget for.
    ///
    /// - Parameter ratio: what part of the calls may be tried again.
    public static func budget(ratio: Double) -> Strategy {
        Strategy("retries under a budget") { _ in Protection(budget: RetryBudget(ratio: ratio)) }
    }

    /// Retries under a budget, around a breaker that all calls share.
    ///
    /// It looks back at twenty calls and not at a span, so that ten that fail open it, an eighth of a second's calls: a
    /// span of a second would still hold those that went well before, and half of its calls are forty. It is open for a
    /// second, in which the service answers a hundred requests: many more than come before it opens. It lets five
    /// trials through, which all at once are answered in half of the clients' patience.
    ///
    /// - Parameter ratio: what part of the calls may be tried again.
    public static func budgetAndBreaker(ratio: Double) -> Strategy {
        Strategy("a budget and a breaker") { scheduler in
            let breaker = CircuitBreaker(
                "service", window: .calls(20), minimumCalls: 20, failureRate: 0.5, openFor: .seconds(1), trials: 5,
                scheduler: scheduler)
            return Protection(budget: RetryBudget(ratio: ratio), guarding: { $0.guarded(by: breaker) })
        }
    }
}
