public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs on a dispatch queue, which may be concurrent. Each job is dispatched separately. An event of
/// `observe(on:)` may be delivered by an earlier job of the same `observe(on:)`. So it may overtake other jobs.
///
/// - Order: on a serial queue first in, first out, one at a time. On a concurrent queue, only the events of one chain
///   are serial and in order.
/// - Disposal: a job that is disposed of before its turn never runs and is released at once. A job that has begun runs
///   to its end.
///
/// Any thread may schedule and dispose. Timers use the monotonic clock.
// @unchecked Sendable because its properties never change, and any thread may use them.
public class ConcurrentDispatchQueueScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
    private let queue: DispatchQueue
    private let timers: Timers

    /// Makes a scheduler.
    ///
    /// - Parameters:
    ///   - queue: the queue on which the jobs run; it may be concurrent.
    ///   - leeway: the maximum lateness of a timer; for a periodic timer, at most half its period.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)) {
        self.queue = queue
        timers = Timers(.dispatch(queue), leeway: leeway)
    }

    /// Makes a scheduler with its own concurrent queue of quality of service `qos`. `leeway` is the maximum lateness of
    /// a timer.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rxswift.queue.\(qos)", qos: qos, attributes: [.concurrent], target: nil),
            leeway: leeway)
    }

    /// A new job queue at each access. The queue makes the events of one chain serial.
    @usableFromInline
    final var jobQueue: JobQueue? { DispatchJobQueue(queue) }

    public var now: Date { Date() }

    @preconcurrency
    public final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        #if RX_EXPLORE
            if Explored.isCaller {
                Explored.spawn { job.run() }
                return job
            }
        #endif
        queue.async { job.run() }
        return job
    }

    @preconcurrency
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Calls `action` repeatedly. Calls do not overlap. If several periods elapse during a call, `action` is called
    /// once for all of them.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
