public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on a serial dispatch queue, one piece after the other, in the order in which it was scheduled.
///
/// - Order: first in, first out, one at a time, over all that is scheduled on it. What a piece schedules runs after
///   that piece.
/// - Disposal: what is disposed of on the scheduler never runs afterwards; disposed of elsewhere, at most a run that
///   has begun ends. What waits is freed at once.
///
/// The scheduler has a queue of its own, and one FIFO for all that is scheduled on it: what waits runs as one burst,
/// and no block is dispatched for each piece. The queue that it targets, if any, has its turn between bursts.
/// ``MainScheduler`` and its `asyncInstance` share the main queue and dispatch each piece.
///
/// Any thread may schedule and dispose. Timers are monotonic: a step of the wall clock does not move them; when one is
/// due, its work joins the FIFO. What waits keeps the queue alive, not the scheduler.
// @unchecked Sendable because every property is a let of something that any thread may use; subclasses name their
// guards.
public class SerialDispatchQueueScheduler: SchedulerType, BurstScheduler, @unchecked Sendable {
    private let queue: DispatchQueue
    private let timers: Timers
    @usableFromInline
    final let jobQueue: JobQueue?

    /// Shares the main queue with others.
    init(sharingMainQueueWithLeeway leeway: DispatchTimeInterval) {
        queue = DispatchQueue.main
        timers = Timers(.dispatch(queue), leeway: leeway)
        jobQueue = nil
    }

    private init(owning queue: DispatchQueue, leeway: DispatchTimeInterval) {
        let jobQueue = DispatchJobQueue(queue)
        self.queue = queue
        timers = Timers(.jobs(jobQueue), leeway: leeway)
        self.jobQueue = jobQueue
    }

    /// Makes a scheduler with a serial queue of its own.
    ///
    /// - Parameters:
    ///   - internalSerialQueueName: the queue's label.
    ///   - serialQueueConfiguration: called with the queue before it is used, to set its target for example.
    ///   - leeway: how late timers may fire, those of a period by half of it at most: those with the same leeway gather
    ///     at common moments, and one wake-up serves them all.
    @preconcurrency
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: (@Sendable (DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName, attributes: [])
        serialQueueConfiguration?(queue)
        self.init(owning: queue, leeway: leeway)
    }

    /// Makes a scheduler with a serial queue of its own that runs on another queue, which may be concurrent.
    ///
    /// - Parameters:
    ///   - queue: the target.
    ///   - internalSerialQueueName: the label of the scheduler's own queue.
    ///   - leeway: how late timers may fire, those of a period by half of it at most: those with the same leeway gather
    ///     at common moments, and one wake-up serves them all.
    public convenience init(
        queue: DispatchQueue, internalSerialQueueName: String,
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        self.init(owning: DispatchQueue(label: internalSerialQueueName, attributes: [], target: queue), leeway: leeway)
    }

    /// Makes a scheduler with a serial queue of its own that runs on the global queue of a quality of service.
    ///
    /// - Parameters:
    ///   - qos: the quality of service.
    ///   - internalSerialQueueName: the label of the scheduler's own queue.
    ///   - leeway: how late timers may fire, those of a period by half of it at most: those with the same leeway gather
    ///     at common moments, and one wake-up serves them all.
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        self.init(
            queue: DispatchQueue.global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
            leeway: leeway)
    }

    /// The wall clock.
    public var now: Date { Date() }

    /// Schedules an action behind everything that was scheduled before.
    @inlinable
    @preconcurrency
    public final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        schedule { action(state) }
    }

    /// Whether what is scheduled now runs at once, on the calling thread. It is then run as if it were, and ``leave()``
    /// called after it.
    func enter() -> Bool { false }

    /// Called after what ``enter()`` let in.
    func leave() {}

    /// Schedules work as soon as the queue gets to it.
    @usableFromInline
    func schedule(_ work: @escaping () -> any Disposable) -> any Disposable {
        let job = ScheduledAction(work)
        if let jobQueue {
            jobQueue.enqueue(job)
        } else {
            MainQueue.expectDrain()
            queue.async { job.run() }
        }
        return job
    }

    /// Schedules an action after a span of monotonic time.
    @preconcurrency
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if jobQueue == nil { MainQueue.expectDrain() }
        return timers.schedule(state, after: dueTime, action)
    }

    /// Schedules an action again and again, in monotonic time. Ticks that come due while the action runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        if jobQueue == nil { MainQueue.expectDrain() }
        return timers.schedule(state, after: startAfter, every: period, action)
    }
}
