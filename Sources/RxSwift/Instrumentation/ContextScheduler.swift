/// A scheduler with a captured context, which operators restore around their ticks.
// @unchecked Sendable because its properties are immutable, and any thread may use a scheduler.
package final class ContextScheduler: SchedulerType, @unchecked Sendable {
    private let base: any SchedulerType
    private let context: CapturedContext

    private init(_ base: any SchedulerType, _ context: CapturedContext) {
        self.base = base
        self.context = context
    }

    /// Returns `scheduler`, wrapped if a context is captured. Called by the subscribing thread.
    package static func capturing(for scheduler: any SchedulerType) -> any SchedulerType {
        guard let context = CapturedContext.capture() else { return scheduler }
        return ContextScheduler(scheduler, context)
    }

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
