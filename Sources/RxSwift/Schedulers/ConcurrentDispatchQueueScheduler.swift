public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on a dispatch queue, which may be concurrent: each piece is dispatched by itself.
///
/// - Order: that of the queue: first in, first out, one at a time, if it is serial; otherwise none. The events of one
///   chain are always serial and in order, those of two chains are not.
/// - Disposal: what is disposed of before its turn never runs, and is freed at once; of what runs at that moment, at
///   most the run that has begun ends.
///
/// Any thread may schedule and dispose. Timers are monotonic: a step of the wall clock does not move them.
// @unchecked Sendable because its properties never change and any thread may use it.
public class ConcurrentDispatchQueueScheduler: SchedulerType, BurstScheduler, @unchecked Sendable {
    private let queue: DispatchQueue
    private let timers: Timers

    /// Makes a scheduler that runs on a queue.
    ///
    /// - Parameters:
    ///   - queue: the queue.
    ///   - leeway: how late timers may fire, those of a period by half of it at most: those with the same leeway gather
    ///     at common moments, and one wake-up serves them all.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)) {
        self.queue = queue
        timers = Timers(.dispatch(queue), leeway: leeway)
    }

    /// Makes a scheduler that runs on a concurrent queue of its own.
    ///
    /// - Parameters:
    ///   - qos: the queue's quality of service.
    ///   - leeway: how late timers may fire, those of a period by half of it at most: those with the same leeway gather
    ///     at common moments, and one wake-up serves them all.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rxswift.queue.\(qos)", qos: qos, attributes: [.concurrent], target: nil),
            leeway: leeway)
    }

    /// A queue of its own for each asker: one chain's events are serial, those of two chains are not.
    @usableFromInline
    final var jobQueue: JobQueue? { DispatchJobQueue(queue) }

    /// The wall clock.
    public var now: Date { Date() }

    /// Dispatches an action.
    @preconcurrency
    public final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        queue.async { job.run() }
        return job
    }

    /// Schedules an action after a span of monotonic time.
    @preconcurrency
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Schedules an action again and again, in monotonic time; its calls do not overlap. Ticks that come due while it
    /// runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
