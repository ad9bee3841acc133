public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on the main queue; at once, if that is where it is scheduled, whatever else waits.
///
/// Use it to subscribe on the main queue; to observe there, use ``MainScheduler``, which keeps the order.
///
/// - Threads: any thread may schedule and dispose. As with ``MainScheduler``, somebody has to run the main queue.
/// - Order: one at a time. What is scheduled on the main queue runs at once, nested in what runs there and before what
///   waits; what is scheduled elsewhere is first in, first out. Timers run in the order of their deadlines.
/// - Disposal: what is disposed of on the main queue does not run afterwards; disposed of elsewhere, at most a run that
///   has begun ends.
// @unchecked Sendable because its one property never changes and any thread may use it.
public final class ConcurrentMainScheduler: SchedulerType, @unchecked Sendable {
    private let timers = Timers(.dispatch(DispatchQueue.main))

    private init() {}

    /// The instance that all share.
    public static let instance = ConcurrentMainScheduler()

    /// The wall clock.
    public var now: Date { Date() }

    /// Runs an action at once on the main queue, or dispatches it there.
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

    /// Schedules an action after a span of monotonic time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainQueue.expectDrain()
        return timers.schedule(state, after: dueTime, action)
    }

    /// Schedules an action again and again, in monotonic time. Ticks that come due while it runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        MainQueue.expectDrain()
        return timers.schedule(state, after: startAfter, every: period, action)
    }
}
