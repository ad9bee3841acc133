import RxResilience

extension Strategy {
    /// Those that are compared: the first one is the one without protection.
    ///
    /// - Parameter ratio: what part of the calls may be tried again, under a budget.
    public static func all(ratio: Double = 0.1) -> [Strategy] {
        [.plain, .budget(ratio: ratio)]
    }

    /// Retries that nothing bounds but their number.
    public static let plain = Strategy("plain retries") { _ in Protection() }

    /// Retries that all calls together have a budget for.
    ///
    /// - Parameter ratio: what part of the calls may be tried again.
    public static func budget(ratio: Double) -> Strategy {
        Strategy("retries under a budget") { _ in Protection(budget: RetryBudget(ratio: ratio)) }
    }
}
