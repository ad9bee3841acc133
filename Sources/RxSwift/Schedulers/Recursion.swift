internal import CRxCore
public import Dispatch

extension ImmediateSchedulerType {
    /// Schedules an action that may schedule itself again any number of times.
    ///
    /// On a scheduler that queues jobs, the steps do not nest. The action is released when no step waits or runs, or at
    /// the disposal.
    ///
    /// - Parameters:
    ///   - state: the argument of the first call of the action.
    ///   - action: the work. To request a further step, the action calls its second argument with the state for that
    ///     step.
    /// - Returns: a disposable. After it has been disposed of, no further step begins.
    @inlinable
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: (State) -> Void) -> Void
    ) -> any Disposable {
        guard isCurrentThread else { return scheduleSteps(state, action) }
        let job = RecursiveTrampolineJob(state, action)
        Trampoline.enqueue(job)
        return job
    }

    @usableFromInline
    func scheduleSteps<State>(_ state: State, _ action: @escaping (State, (State) -> Void) -> Void) -> any Disposable {
        let recursion = ImmediateRecursion(self, action)
        recursion.schedule(state, StepsLeft(of: recursion))
        return recursion
    }
}

extension SchedulerType {
    /// Schedules an action that may schedule itself again, at once or later. The action is retained until the recursion
    /// is disposed of.
    func scheduleRecursive<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State, AnyRecursiveScheduler<State>) -> Void
    ) -> any Disposable {
        let recursion = AnyRecursiveScheduler(self, action)
        recursion.schedule(state, dueTime: dueTime)
        return recursion
    }

    /// Schedules an action repeatedly. Calls `schedule(_:action:)` and ``scheduleRelative(_:dueTime:action:)``.
    ///
    /// If a period elapses while the action runs, the action runs again afterwards. On a concurrent scheduler, it runs
    /// once for each elapsed period.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let ticks = RecursiveTicks(state, period: period, action)
        return scheduleRecursive(.tick, dueTime: startAfter) { ticks.take($0, $1) }
    }
}

/// The scheduled steps of a recursion.
///
/// Guards:
/// - `stored`: protected by the lock in `words`; released at a disposal, after unlocking.
/// - `steps`: thread-safe. A disposal takes `stored` first, then disposes of `steps`, so that no step begins
///   afterwards.
/// - `isStepping`, `nested`: used only on the main queue, for ``ConcurrentMainScheduler``.
class RecursionBase<Action>: Cancelable, @unchecked Sendable {  // because of the guards above
    // The first stored property, because `FlagAndLock.lock(of: self)` returns the address of its lock.
    private let words = FlagAndLock()
    private var stored: Action?
    final let steps = CompositeDisposable()
    private let isNesting: Bool
    private var isStepping = false
    /// Steps requested by a running step. They run in a loop after that step, so that steps do not nest.
    private var nested = Ring<() -> Void>()

    init(_ action: Action, on scheduler: any ImmediateSchedulerType) {
        stored = action
        isNesting = scheduler is ConcurrentMainScheduler
    }

    final var action: Action? { FlagAndLock.lock(of: self).withLock { stored } }

    final var isDisposed: Bool { steps.isDisposed }

    final func dispose() {
        disposeIteratively()
    }

    final func _dispose(into worklist: inout _DisposalWorklist) {
        let freed = FlagAndLock.lock(of: self).withLock { stored.take() }
        withExtendedLifetime(freed) { steps._dispose(into: &worklist) }
    }

    final func add(
        _ step: @escaping () -> Void, schedule: (@escaping @Sendable () -> any Disposable) -> any Disposable
    ) {
        let slot = SingleAssignmentDisposable()
        guard let key = steps.insert(slot) else { return }
        nonisolated(unsafe) let step = step  // a scheduler calls it once
        slot.setDisposable(
            schedule { [self] in
                steps.remove(for: key)
                if isNesting { runNested(step) } else { step() }
                return NopDisposable()
            })
    }

    private final func runNested(_ step: @escaping () -> Void) {
        if isStepping { return nested.append(step) }
        isStepping = true
        step()
        while !nested.isEmpty { nested.removeFirst()() }
        isStepping = false
    }
}

// @unchecked Sendable because of its base; `scheduler` never changes, and any thread may use it.
private final class ImmediateRecursion<State>: RecursionBase<(State, (State) -> Void) -> Void>, @unchecked Sendable {
    private let scheduler: any ImmediateSchedulerType

    init(_ scheduler: any ImmediateSchedulerType, _ action: @escaping (State, (State) -> Void) -> Void) {
        self.scheduler = scheduler
        super.init(action, on: scheduler)
    }

    func schedule(_ state: State, _ left: StepsLeft) {
        add(
            { [self] in
                if !isDisposed, let action { action(state) { schedule($0, left) } }
            },
            schedule: { step in scheduler.schedule(()) { _ in step() } })
    }
}

/// Each step retains this object. Its `deinit`, after the last step, disposes of the recursion.
private final class StepsLeft {
    private let recursion: any Disposable & AnyObject

    init(of recursion: any Disposable & AnyObject) {
        self.recursion = recursion
    }

    deinit {
        recursion.dispose()
    }
}

// @unchecked Sendable because of its base; `scheduler` never changes, and any thread may use it.
final class AnyRecursiveScheduler<State>: RecursionBase<(State, AnyRecursiveScheduler<State>) -> Void>,
    @unchecked Sendable
{
    private let scheduler: any SchedulerType

    init(_ scheduler: any SchedulerType, _ action: @escaping (State, AnyRecursiveScheduler<State>) -> Void) {
        self.scheduler = scheduler
        super.init(action, on: scheduler)
    }

    func schedule(_ state: State, dueTime: RxTimeInterval) {
        add(
            { [self] in perform(state) },
            schedule: { step in scheduler.scheduleRelative((), dueTime: dueTime) { _ in step() } })
    }

    func schedule(_ state: State) {
        add({ [self] in perform(state) }, schedule: { step in scheduler.schedule(()) { _ in step() } })
    }

    private func perform(_ state: State) {
        if !isDisposed, let action { action(state, self) }
    }
}

/// Calls an action once for each tick of a period. A *run* is one call of the action.
///
/// A tick first schedules the next tick, so the length of a run does not change the period.
///
/// Guards:
/// - `owed`: atomic; the number of ticks whose run has not ended.
/// - `state`: used only by the current run; runs do not overlap.
private final class RecursiveTicks<State>: @unchecked Sendable {  // because of the guards above
    enum Step {
        case tick
        case run
    }

    private let period: RxTimeInterval
    private let action: (State) -> State
    private var state: State
    private let owed = AtomicCount()

    init(_ state: State, period: RxTimeInterval, _ action: @escaping (State) -> State) {
        self.state = state
        self.period = period
        self.action = action
    }

    func take(_ step: Step, _ scheduler: AnyRecursiveScheduler<Step>) {
        if case .tick = step {
            scheduler.schedule(.tick, dueTime: period)
            // If an earlier run has not ended, it schedules the next run at its end.
            if owed.add(1) > 0 { return }
        }
        state = action(state)
        if owed.add(-1) > 1 { scheduler.schedule(.run) }
    }
}
