#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import Dispatch

/// A point in time on a scheduler's clock.
public typealias RxTime = Date

/// A scheduler with a clock: it runs work at once, after a delay, or periodically.
public protocol SchedulerType: ImmediateSchedulerType {
    /// The scheduler's current time: by default, the wall clock. Delays are measured in monotonic time.
    var now: RxTime { get }

    /// Schedules an action after a delay.
    ///
    /// - Parameters:
    ///   - state: the argument of the action.
    ///   - dueTime: the delay; zero or a negative value means as soon as possible.
    ///   - action: the work. It returns a disposable that is disposed of with the scheduled action.
    /// - Returns: a disposable. If it is disposed of before the action starts, the action does not run.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Schedules an action periodically. `state` is the argument of the first call, after `startAfter`. `period` is the
    /// interval between two calls. Each call of `action` returns the argument of the next.
    ///
    /// - Returns: a disposable that ends the periodic work.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}
