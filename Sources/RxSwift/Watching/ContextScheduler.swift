/// A scheduler that carries what its operator restores around its ticks, and is otherwise the one that it stands for.
///
/// So an operator with a timer has no place for a context that few subscriptions have.
// @unchecked Sendable because its properties never change and any thread may use a scheduler.
package final class ContextScheduler: SchedulerType, @unchecked Sendable {
    private let base: any SchedulerType
    private let context: HopContext

    private init(_ base: any SchedulerType, _ context: HopContext) {
        self.base = base
        self.context = context
    }

    /// `scheduler`, with what is captured now, if anything is. For who subscribes.
    package static func capturing(for scheduler: any SchedulerType) -> any SchedulerType {
        guard let context = HopContext.capture() else { return scheduler }
        return ContextScheduler(scheduler, context)
    }

    /// Runs `body` in what a scheduler carries.
    @inline(__always)
    package static func restore(from scheduler: any SchedulerType, _ body: () -> Void) {
        if type(of: scheduler) == ContextScheduler.self {
            unsafeDowncast(scheduler as AnyObject, to: ContextScheduler.self).context.run(body)
        } else {
            body()
        }
    }

    package var now: RxTime { base.now }

    package func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        base.schedule(state, action: action)
    }

    package func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        base.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    package func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        base.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}
