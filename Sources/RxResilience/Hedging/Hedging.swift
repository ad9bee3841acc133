public import Dispatch
public import RxSwift

/// Runs asynchronous work once more in parallel if it has not returned within `span`, and takes the first result.
///
///     let row = try await hedging(after: .milliseconds(50), scheduler: scheduler) { try await replica.read(key) }
///
/// See ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)``. Each run has its own task. Losing runs are
/// cancelled, and the call does not wait for them. The first run has the caller's task-local values; later runs have
/// only ``Deadline/current``. Cancelling the caller's task cancels all runs. `isolation` is the caller's actor.
///
/// - Throws: the error of the run that fails last, if all runs throw.
public func hedging<Value: Sendable>(
    after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil, scheduler: any SchedulerType,
    isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Single.create(work: work).hedged(after: span, most: most, budget: budget, scheduler: scheduler).value
}

/// Runs `work`, and runs it again if it has not answered within `span`. ``Resilience/observe(_:)`` reports `name`.
///
/// See ``hedging(after:most:budget:scheduler:isolation:_:)``.
public func hedging<Value: Sendable>(
    as name: String, after span: RxTimeInterval, most: Int = 1, budget: RetryBudget? = nil,
    scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Single.create(work: work)
        .hedged(as: name, after: span, most: most, budget: budget, scheduler: scheduler).value
}
