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

    /// Schedules `action` after a delay, with the argument `state`. A `dueTime` of zero or less means as soon as
    /// possible. The disposable that `action` returns is disposed of with the scheduled action.
    ///
    /// - Returns: a disposable. If it is disposed of before the action starts, the action does not run.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Schedules `action` periodically: after `startAfter` with the argument `state`, then once per `period` with the
    /// previous result.
    ///
    /// - Returns: a disposable that ends the periodic work.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}
