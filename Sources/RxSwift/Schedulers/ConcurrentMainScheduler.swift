public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs on the main queue. A job that is scheduled from that queue runs at once, even if other jobs wait.
///
/// To observe on the main queue, use ``MainScheduler``, which keeps the order.
///
/// - Threads: any thread may schedule and dispose. As for ``MainScheduler``, the program must run the main queue.
/// - Order: a job that is scheduled on the main queue runs nested in the current job. Jobs that are scheduled elsewhere
///   run first in, first out, one at a time. Timers run in the order of their deadlines.
/// - Disposal: a job that is disposed of on the main queue does not run afterwards. A disposal on another thread does
///   not stop a job that has begun.
// @unchecked Sendable because its one property never changes, and any thread may use it.
public final class ConcurrentMainScheduler: SchedulerType, @unchecked Sendable {
    private let timers = Timers(.dispatch(DispatchQueue.main))

    private init() {}

    /// The shared instance.
    public static let instance = ConcurrentMainScheduler()

    public var now: Date { Date() }

    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if MainQueue.isCurrent { return action(state) }
        MainQueue.expectDrain()
        let job = ScheduledAction { action(state) }
        DispatchQueue.main.async { job.run() }
        return job
    }

    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainQueue.expectDrain()
        return timers.schedule(state, after: dueTime, action)
    }

    /// Calls `action` repeatedly. If several periods elapse during a call, `action` is called once for all of them.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        MainQueue.expectDrain()
        return timers.schedule(state, after: startAfter, every: period, action)
    }
}
