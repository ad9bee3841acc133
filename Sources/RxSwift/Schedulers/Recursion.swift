internal import CRxCore
public import Dispatch

extension ImmediateSchedulerType {
    /// Schedules an action that schedules itself again, as often as it asks for.
    ///
    /// Each step is scheduled, so the recursion is a loop wherever the scheduler queues. When no step is left, or at a
    /// disposal, the action is freed. A step that a shutdown of the scheduler drops is left no more.
    ///
    /// - Parameters:
    ///   - state: what the action is first called with.
    ///   - action: the work; it may call its second argument with the state for another step, as often as it likes.
    /// - Returns: the recursion; disposed of, it begins no further step.
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

    /// A recursion whose steps the scheduler is given one by one.
    @usableFromInline
    func scheduleSteps<State>(_ state: State, _ action: @escaping (State, (State) -> Void) -> Void) -> any Disposable {
        let recursion = ImmediateRecursion(self, action)
        recursion.schedule(state, StepsLeft(of: recursion))
        return recursion
    }
}

extension SchedulerType {
    /// Schedules an action that may schedule itself again, at once or later.
    ///
    /// The action stays until the recursion is disposed of: it may ask for another step at any time.
    func scheduleRecursive<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State, AnyRecursiveScheduler<State>) -> Void
    ) -> any Disposable {
        let recursion = AnyRecursiveScheduler(self, action)
        recursion.schedule(state, dueTime: dueTime)
        return recursion
    }

    /// Schedules an action again and again, with nothing but ``scheduleRelative(_:dueTime:action:)``.
    ///
    /// A tick that comes due while the action runs is made up for afterwards.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let ticks = RecursiveTicks(state, period: period, action)
        return scheduleRecursive(.tick, dueTime: startAfter) { ticks.take($0, $1) }
    }
}

/// The steps of a recursion that are scheduled.
///
/// - `action`: guarded by `lock`; freed at a disposal, outside it.
/// - `steps`: has its own guard; it is disposed before `action` is freed, so no step begins after it.
/// - `isStepping`, `nested`: the main queue's, and only where the scheduler is ``ConcurrentMainScheduler``.
class RecursionBase<Action>: Cancelable, @unchecked Sendable {  // because of the guards above
    // The first stored property: `lock` is an address in it.
    private let words = FlagAndLock()
    private var stored: Action?
    final let steps = CompositeDisposable()
    private let isNesting: Bool
    private var isStepping = false
    /// The steps that would run at once, within the one that asked for them: they wait for its end, so that the
    /// recursion is a loop.
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

    final func _dispose(into agenda: inout _DisposalAgenda) {
        // Bound, so that it is released after the lock.
        let freed = FlagAndLock.lock(of: self).withLock { stored.take() }
        withExtendedLifetime(freed) { steps._dispose(into: &agenda) }
    }

    /// Schedules a step through `schedule`, to be called off with the others; `step` runs when it begins.
    final func add(_ step: @escaping () -> Void, schedule: (@escaping @Sendable () -> any Disposable) -> any Disposable)
    {
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

/// A recursion on any scheduler.
// @unchecked Sendable because of its base; this property never changes, and a scheduler may be used from any
// thread.
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

/// Held by each step of a recursion that waits or runs. It goes with the last of them, whether that has run or a
/// scheduler that was shut down has dropped it: then nobody can ask for another, and the recursion disposes of itself.
private final class StepsLeft {
    private let recursion: any Disposable & AnyObject

    init(of recursion: any Disposable & AnyObject) {
        self.recursion = recursion
    }

    deinit {
        recursion.dispose()
    }
}

/// What a recursive action asks for its next steps, at once or later, from any thread.
// @unchecked Sendable because of its base; this property never changes, and a scheduler may be used from any
// thread.
final class AnyRecursiveScheduler<State>: RecursionBase<(State, AnyRecursiveScheduler<State>) -> Void>,
    @unchecked Sendable
{
    private let scheduler: any SchedulerType

    init(_ scheduler: any SchedulerType, _ action: @escaping (State, AnyRecursiveScheduler<State>) -> Void) {
        self.scheduler = scheduler
        super.init(action, on: scheduler)
    }

    /// Schedules a step after a span of time.
    func schedule(_ state: State, dueTime: RxTimeInterval) {
        add(
            { [self] in perform(state) },
            schedule: { step in scheduler.scheduleRelative((), dueTime: dueTime) { _ in step() } })
    }

    /// Schedules a step at once.
    func schedule(_ state: State) {
        add({ [self] in perform(state) }, schedule: { step in scheduler.schedule(()) { _ in step() } })
    }

    private func perform(_ state: State) {
        if !isDisposed, let action { action(state, self) }
    }
}

/// The ticks of a period, and the runs that they are owed.
///
/// A tick schedules the next one first, so that the period is kept however long the action takes.
/// - `owed`: atomic: ticks whose run has not ended.
/// - `state`: the run alone, and only one runs while runs are owed.
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
            // The thread that runs makes up for this tick, too.
            if owed.add(1) > 0 { return }
        }
        state = action(state)
        if owed.add(-1) > 1 { scheduler.schedule(.run) }
    }
}
