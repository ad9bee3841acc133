import Dispatch
import RxSwift

/// A timer that is set again and again; setting it calls off what it was set to before, disposing ends it.
final class Countdown: Disposable {
    private let scheduler: any SchedulerType
    private let pending = SerialDisposable()

    init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    /// Sets it; `.never` sets nothing.
    ///
    /// - Parameters:
    ///   - span: after which it is due.
    ///   - action: called on the scheduler, with a turn that is disposed once this setting has been called off: for
    ///     whoever meets it later.
    func set(_ span: RxTimeInterval, _ action: @escaping (SingleAssignmentDisposable) -> Void) {
        // Assigned first, because a scheduler may run the action at once.
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

    /// Does what came of a timer, in the context that the scheduler carries, if it does: see ``ContextScheduler``.
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
