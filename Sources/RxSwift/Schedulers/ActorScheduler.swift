public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on an actor, one piece after the other, in the order in which it was scheduled: what is of that actor may
/// be called there.
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
/// - Order: first in, first out, one at a time, over all that is scheduled on one scheduler, whatever the priorities of
///   the tasks that schedule. What a piece schedules runs after that piece. Two schedulers of one actor take turns.
/// - Disposal: what is disposed of on the actor never runs afterwards; disposed of elsewhere, at most a run that has
///   begun ends. What waits is freed at once.
/// - Isolation: work runs on the actor's executor, in a task of its own, so `assumeIsolated` finds the actor. It has no
///   task-locals; ``Hooks/captureContext`` brings them there. Nothing runs at once, on the actor neither.
/// - Other calls of the actor have their turn after every 128 pieces: all that waits does not keep them waiting.
///
/// Any thread may schedule and dispose. Timers are monotonic; when one is due, its work joins the queue. A piece of
/// work is synchronous: it must not block, for the actor and a thread of Swift's pool wait with it.
///
/// **Who holds what**: the scheduler does not hold the actor, so an actor may hold its scheduler. What waits for its
/// turn holds the actor until it has run, and a timer does not. Once the actor is gone nothing of it can be called:
/// what is scheduled then, and timers that come due, are let go, unrun. A scheduler that is dropped while its actor
/// lives still runs what was scheduled, timers too.
// @unchecked Sendable because its properties never change and any thread may use it.
public final class ActorScheduler: SchedulerType, BurstScheduler, @unchecked Sendable {
    private let queue: ActorJobQueue
    private let timers: Timers

    /// Makes a scheduler of an actor, which it does not hold.
    ///
    /// - Parameter actor: where work runs.
    public init(_ actor: any Actor) {
        queue = ActorJobQueue(actor)
        timers = Timers(.jobs(queue))
    }

    /// The main actor's, which all share.
    ///
    /// As with ``MainScheduler``, somebody has to run the main queue. Unlike that one it runs nothing at once, and what
    /// waits runs in bursts.
    public static let main = ActorScheduler(MainActor.shared)

    @usableFromInline
    var jobQueue: JobQueue? { queue }

    /// The wall clock.
    public var now: Date { Date() }

    /// Schedules an action behind everything that was scheduled before.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ScheduledAction { action(state) }
        queue.enqueue(job)
        return job
    }

    /// Schedules an action after a span of monotonic time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    /// Schedules an action again and again, in monotonic time. Ticks that come due while the action runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timers.schedule(state, after: startAfter, every: period, action)
    }
}
