public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs on a serial dispatch queue.
///
/// - Order: first in, first out, one at a time.
/// - Disposal: a job that is disposed of on the scheduler does not run afterwards. A disposal on another thread does
///   not stop a job that has begun. A waiting job is released at once.
///
/// One dispatched block runs many waiting jobs. Other work of the target queue runs between the blocks. Exception:
/// ``MainScheduler`` and its `asyncInstance` dispatch each job separately.
///
/// Any thread may schedule and dispose. Timers use the monotonic clock. When a timer fires, its job joins the queue.
/// Waiting jobs do not retain the scheduler.
// @unchecked Sendable because every property is a `let` that any thread may use.
public class SerialDispatchQueueScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
    private let queue: DispatchQueue
    private let timers: Timers
    @usableFromInline
    final let jobQueue: JobQueue?

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

    /// Makes a scheduler with its own serial queue.
    ///
    /// - Parameters:
    ///   - internalSerialQueueName: the queue's label.
    ///   - serialQueueConfiguration: called with the queue before it is used, for example to set its target.
    ///   - leeway: the maximum lateness of a timer; for a periodic timer, at most half its period.
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName, attributes: [])
        serialQueueConfiguration?(queue)
        self.init(owning: queue, leeway: leeway)
    }

    /// Makes a scheduler with its own serial queue, labelled `internalSerialQueueName`, which targets `queue`. `queue`
    /// may be concurrent. `leeway` is the maximum lateness of a timer.
    public convenience init(
        queue: DispatchQueue, internalSerialQueueName: String,
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        self.init(owning: DispatchQueue(label: internalSerialQueueName, attributes: [], target: queue), leeway: leeway)
    }

    /// Makes a scheduler with its own serial queue, labelled `internalSerialQueueName`, which targets the global queue
    /// of quality of service `qos`. `leeway` is the maximum lateness of a timer.
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        self.init(
            queue: DispatchQueue.global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
            leeway: leeway)
    }

    public var now: Date { Date() }

    @inlinable
    @preconcurrency
    public final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        schedule { action(state) }
    }

    /// Whether the caller may run a job at once. If so, it must call ``leave()`` afterwards.
    func enter() -> Bool { false }

    func leave() {}

    @usableFromInline
    func schedule(_ work: @escaping () -> any Disposable) -> any Disposable {
        let job = ScheduledAction(work)
        if let jobQueue {
            jobQueue.enqueue(job)
        } else {
            #if RX_EXPLORE
                Explored.refuse("the main queue")
            #endif
            MainQueue.expectDrain()
            queue.async { job.run() }
        }
        return job
    }

    @preconcurrency
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if jobQueue == nil { MainQueue.expectDrain() }
        return timers.schedule(state, after: dueTime, action)
    }

    /// Calls `action` repeatedly. If several periods elapse during a call, `action` is called once for all of them.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        if jobQueue == nil { MainQueue.expectDrain() }
        return timers.schedule(state, after: startAfter, every: period, action)
    }
}
