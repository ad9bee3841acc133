public import Dispatch
public import RxSwift

/// Runs asynchronous work under a ``Deadline``, and cancels it when that has passed.
///
///     let page = try await withDeadline(in: .seconds(2), scheduler: scheduler) { try await assemble() }
///
/// The work runs in a child task, where ``Deadline/current`` is set; of deadlines within each other, the earliest
/// counts. Where it has passed already the work does not begin. As a task group it returns when the work has: work that
/// takes no notice of its cancellation is waited for, and then its result is dropped.
///
/// - Parameters:
///   - span: the time there is.
///   - scheduler: what measures it. No thread waits.
///   - isolation: the caller's actor, which nobody needs to name.
///   - work: the work.
/// - Returns: what the work returns in time; where the caller's task is cancelled, so is the work, and what it returns
///   then counts.
/// - Throws: what the work throws in time, a ``TimeoutError`` once the deadline has passed.
public func withDeadline<Value: Sendable>(
    in span: RxTimeInterval, scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let deadline = Deadline.within(span, scheduler)
    let left = deadline.nanosecondsLeft
    guard left > 0 else { throw deadline.error }
    let timer = Single<Int>.timer(.span(left), scheduler: scheduler)
    return try await withThrowingTaskGroup(of: DeadlineOutcome<Value>.self) { group in
        group.addTask { .value(try await Deadline.$current.withValue(deadline) { try await work() }) }
        if left < .max {
            group.addTask {
                do { _ = try await timer.value } catch { return .calledOff }
                return .late
            }
        }
        defer { group.cancelAll() }
        while let outcome = try await group.next() {
            switch outcome {
            case .value(let value): return value
            case .late: throw deadline.error
            // The caller's task has been cancelled: the work says what comes of that.
            case .calledOff: break
            }
        }
        throw CancellationError()
    }
}

private enum DeadlineOutcome<Value: Sendable>: Sendable {
    case value(Value), late, calledOff
}
