public import Dispatch
public import RxSwift

/// Runs asynchronous work again beside itself where it has not returned after a while, and takes what returns first.
///
///     let row = try await hedging(after: .milliseconds(50), scheduler: scheduler) { try await replica.read(key) }
///
/// As ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)``. Each run has a task of its own; those that lose
/// are cancelled, and not waited for. The first one has the caller's task-local values, the hedges of them
/// ``Deadline``'s alone. Cancelling the caller's task cancels all of them.
///
/// - Parameters:
///   - span: how long each hedge waits after the run before it.
///   - most: how many hedges there are at most; less than 0 stops the process.
///   - budget: what calls together may spend on retries and hedges.
///   - scheduler: what measures the time.
///   - isolation: the caller's actor, which nobody needs to name.
///   - work: the work.
/// - Returns: what returns first.
/// - Throws: the error of the last run, where all of them throw.
public func hedging<Value: Sendable>(
    after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType,
    isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Single.create(work: work).hedged(after: span, most: most, budget: budget, scheduler: scheduler).value
}
