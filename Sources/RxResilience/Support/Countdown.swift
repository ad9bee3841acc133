import Dispatch
import RxSwift

/// A timer. Setting it cancels the previous setting.
final class Countdown: Disposable {
    private let scheduler: any SchedulerType
    private let pending = SerialDisposable()

    init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    /// Sets the timer to call `action` after `span`. With `.never`, the timer does not fire. The argument of `action`
    /// is disposed of if this setting is cancelled. Work that `action` defers must check the argument first.
    func set(_ span: RxTimeInterval, _ action: @escaping (SingleAssignmentDisposable) -> Void) {
        // `turn` is assigned before scheduling, because a scheduler may run the action at once, and the action may set
        // the timer again.
        let turn = SingleAssignmentDisposable()
        pending.disposable = turn
        guard span != .never, !turn.isDisposed else { return }
        nonisolated(unsafe) let action = action  // the scheduler calls it once
        turn.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) { _ in
                if !turn.isDisposed { action(turn) }
                return Disposables.create()
            })
    }

    func restore(_ body: () -> Void) {
        ContextScheduler.restore(from: scheduler, body)
    }

    func callOff() {
        pending.disposable = Disposables.create()
    }

    func dispose() {
        pending.dispose()
    }
}
