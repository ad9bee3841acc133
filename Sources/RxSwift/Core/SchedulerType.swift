#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import Dispatch

/// A span of time.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time, of a scheduler's own clock.
public typealias RxTime = Date

/// A scheduler with a clock: it runs work at once, after a span of time, or again and again.
public protocol SchedulerType: ImmediateSchedulerType {
    /// The scheduler's idea of now.
    ///
    /// It shows the wall clock where the scheduler has no clock of its own. Spans are never computed from it: they are
    /// monotonic.
    var now: RxTime { get }

    /// Schedules an action after a span of time.
    ///
    /// - Parameters:
    ///   - state: what the action is called with.
    ///   - dueTime: the span; zero and less mean as soon as possible.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: the scheduled action; disposed before its turn, it never runs.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Schedules an action again and again.
    ///
    /// - Parameters:
    ///   - state: what the action is first called with.
    ///   - startAfter: the span before the first call.
    ///   - period: the span between two calls.
    ///   - action: the work; it returns the state for its next call.
    /// - Returns: the scheduled work; dispose of it to end it.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}
