public import Dispatch
public import RxSwift

/// Runs asynchronous work under a ``Deadline``, and cancels it when the deadline has passed.
///
///     let page = try await withDeadline(in: .seconds(2), scheduler: scheduler) { try await assemble() }
///
/// The deadline is `span` from now, on the clock of `scheduler`. The work runs in a child task, where
/// ``Deadline/current`` is set. Of nested deadlines, the earliest applies. If the earliest has already passed, the work
/// does not begin. If the work ignores the cancellation at the deadline, the call waits for the work and drops its
/// result. Cancelling the caller's task cancels the work. No thread waits. `isolation` is the caller's actor.
///
/// - Returns: the result of the work, if it ends in time, even if the caller's task was cancelled.
/// - Throws: any error that the work throws in time; a ``TimeoutError`` after the deadline.
public func withDeadline<Value: Sendable>(
    in span: RxTimeInterval, scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withDeadline("deadline", span, scheduler, isolation, work)
}

/// Runs asynchronous work under a ``Deadline`` with a limit that can change.
///
/// See ``withDeadline(in:scheduler:isolation:_:)``. The call uses the span that `limit` has when the call begins.
public func withDeadline<Value: Sendable>(
    within limit: TimeLimit, scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withDeadline(limit.name, limit.span, scheduler, isolation, work)
}

func withDeadline<Value: Sendable>(
    _ name: String, _ span: RxTimeInterval, _ scheduler: any SchedulerType, _ isolation: isolated (any Actor)?,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let deadline = Deadline.within(span, scheduler)
    let left = deadline.nanosecondsLeft
    guard left > 0 else {
        deadline.error.tell(name)
        throw deadline.error
    }
    let timer = Single<Int>.timer(.span(left), scheduler: scheduler)
    return try await withThrowingTaskGroup(of: DeadlineOutcome<Value>.self) { group in
        group.addTask {
            // Cancelling the caller's task also cancels `timer`, so the deadline is checked here.
            func isLate() -> Bool { Task.isCancelled && deadline.hasPassed }
            do {
                let value = try await Deadline.$current.withValue(deadline) { try await work() }
                return isLate() ? .late : .value(value)
            } catch {
                if isLate() { return .late }
                throw error
            }
        }
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
            case .late:
                deadline.error.tell(name)
                throw deadline.error
            // The caller's task was cancelled: wait for the result of the work.
            case .calledOff: break
            }
        }
        throw CancellationError()
    }
}

private enum DeadlineOutcome<Value: Sendable>: Sendable {
    case value(Value), late, calledOff
}
