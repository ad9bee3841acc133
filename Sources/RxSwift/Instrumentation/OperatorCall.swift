/// Records where the program calls operators, while ``Subscriptions`` are listed.
@usableFromInline
enum OperatorCall {
    /// The maximum number of recorded calls per second. Recording a call takes some microseconds.
    static let mostPerSecond: Int64 = 1_000

    private static let budget = Locked((second: Int64(0), used: Int64(0)))

    /// Captures the callers of this function. Returns a closure that records these callers for the chain, then calls
    /// `join`. After `mostPerSecond` calls in a second, returns `join` itself.
    @usableFromInline
    @inline(never)
    static func recorded(in join: @escaping ObservableBase.Join) -> ObservableBase.Join {
        guard isInBudget() else { return join }
        let callers = Callers.capture(limit: 12, omitting: 1)
        return { base, context in
            SubscriptionRecord.connecting?.joins(from: callers)
            return join(base, &context)
        }
    }

    private static func isInBudget() -> Bool {
        let second = Int64(TimerService.now / 1_000_000_000)
        return budget.withLock { budget in
            if budget.second != second { budget = (second, 0) }
            budget.used += 1
            return budget.used <= mostPerSecond
        }
    }
}
