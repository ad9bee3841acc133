public import RxSwift

/// Runs asynchronous work again when it throws, within the limits of a policy and a budget.
///
///     let policy = RetryPolicy.exponential(from: .milliseconds(50), limit: .seconds(2))
///     let receipt = try await retrying(policy, scheduler: scheduler) {
///         try await client.charge(order)
///     }
///
/// Like ``RxSwift/ObservableType/retry(_:budget:if:scheduler:using:)``, except that all attempts run in the caller's
/// task, on its actor and with its task-local values. Pauses hold no thread. A `CancellationError`, and any error
/// thrown after the task was cancelled, is passed on at once. Cancelling the task ends a pause with a
/// `CancellationError`.
///
/// - Throws: the error of the last attempt.
public func retrying<Value, Generator: RandomNumberGenerator>(
    _ policy: RetryPolicy, budget: RetryBudget? = nil, if condition: (any Error) -> Bool = { _ in true },
    scheduler: any SchedulerType, using generator: Generator = SystemRandomNumberGenerator(),
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
) async throws -> Value {
    budget?.recordCall()
    var decision = RetryDecision(policy, budget, Deadline.current, RetryChance(generator, scheduler))
    while true {
        do {
            return try await work()
        } catch {
            guard !(error is CancellationError), !Task.isCancelled,
                let pause = decision.pause(after: error, if: condition)
            else { throw error }
            if pause > 0 { _ = try await Single<Int>.timer(.nanoseconds(pause), scheduler: scheduler).value }
        }
    }
}
