public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs jobs on an actor. A job may call the actor's isolated members.
///
/// ```swift
/// actor Inventory {
///     private var count = 0
///     private let bag = DisposeBag()
///
///     func follow(_ orders: Observable<Order>) {
///         orders.observe(on: ActorScheduler(self))
///             .subscribe(onNext: { [weak self] order in
///                 self?.assumeIsolated { $0.count -= order.pieces }
///             })
///             .disposed(by: bag)
///     }
/// }
/// ```
///
/// - Order: first in, first out, one at a time, regardless of the priorities of the tasks that schedule the jobs.
/// - Disposal: a job that is disposed of on the actor does not run afterwards. A disposal on another thread does not
///   stop a job that has begun. A waiting job is released at once.
/// - Isolation: jobs run on the actor's executor, so `assumeIsolated` succeeds. Task-local values are lost, unless
///   ``Hooks/captureContext`` restores them. No job runs inside the call that schedules it.
/// - Fairness: after every 128 jobs, other calls to the actor can run.
///
/// Any thread may schedule and dispose. Timers use the monotonic clock. When a timer fires, its job joins the queue. A
/// job must not block: it would block the actor and a thread of Swift's pool.
///
/// **Ownership**: the scheduler does not retain the actor, so an actor may retain its scheduler. A waiting job retains
/// the actor; a pending timer does not. When the actor has been released, jobs and due timers are dropped. If the
/// scheduler is released while its actor lives, all scheduled work still runs.
// @unchecked Sendable because its properties never change, and any thread may use them.
public final class ActorScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
    private let queue: ActorJobQueue
    private let timers: Timers

    /// Makes a scheduler for `actor`.
    public init(_ actor: any Actor) {
        queue = ActorJobQueue(actor)
        timers = Timers(.jobs(queue))
    }

    /// The shared scheduler of the main actor.
    ///
    /// As for ``MainScheduler``, the program must run the main queue.
    public static let main = ActorScheduler(MainActor.shared)

    @usableFromInline
    var jobQueue: JobQueue? { queue }

    public var now: Date { Date() }

    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        queue.enqueue(job)
        return job
    }

    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Calls `action` repeatedly. If several periods elapse during a call, `action` is called once for all of them.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
