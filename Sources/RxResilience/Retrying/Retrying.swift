public import RxSwift

/// Runs asynchronous work again when it throws, as a policy says and as long as a budget allows.
///
///     let policy = RetryPolicy.exponential(from: .milliseconds(50), limit: .seconds(2))
///     let receipt = try await retrying(policy, scheduler: scheduler) {
///         try await client.charge(order)
///     }
///
/// As ``RxSwift/ObservableType/retry(_:budget:if:scheduler:using:)``, but that all attempts run in the caller's task,
/// on its actor and with its task-local values, and that no thread is held during a pause. A `CancellationError` passes
/// at once, and so does what an attempt throws once the task is cancelled; cancelling it in a pause ends that with one.
///
/// - Parameters:
///   - policy: how often, and how long the pauses are.
///   - budget: what this call and others together may spend on retries.
///   - condition: called with an error after which there may be another attempt; `false` lets the error pass.
///   - scheduler: what measures the pauses.
///   - generator: the source of the jitter: the system's generator by default, and one with a fixed seed for each call
///     on a scheduler of virtual time.
///   - isolation: the caller's actor, which nobody needs to name.
///   - work: the work, called for each attempt.
/// - Returns: what the first attempt that does not throw returns.
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
