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
    /// The scheduler's current time.
    ///
    /// If the scheduler has no clock of its own, this is the time of the wall clock. Delays are measured in monotonic
    /// time and do not depend on the wall clock.
    var now: RxTime { get }

    /// Schedules an action after a delay.
    ///
    /// - Parameters:
    ///   - state: the argument of the action.
    ///   - dueTime: the delay; zero or a negative value means as soon as possible.
    ///   - action: the work. The disposable that it returns is disposed of together with the scheduled action.
    /// - Returns: a disposable for the scheduled action. If it is disposed of before the action starts, the action does
    ///   not run.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Schedules an action periodically.
    ///
    /// - Parameters:
    ///   - state: the argument of the first call.
    ///   - startAfter: the delay before the first call.
    ///   - period: the interval between two calls.
    ///   - action: the work. Returns the argument for the next call.
    /// - Returns: a disposable that ends the periodic work.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}
