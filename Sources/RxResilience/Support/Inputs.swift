import Dispatch
import RxSwift

/// Begins what sends inputs, from whatever threads, and has them taken one at a time.
///
/// One thread takes at a time: what another one sends meanwhile is left to it, and what it sends itself from within is
/// taken at once, nested. So what takes the inputs needs no lock for its state, and may call out; it has to have its
/// state in order before it does.
///
/// - Parameters:
///   - begin: subscribes and sets timers, and returns what ends all of them.
///   - take: called with each input.
/// - Returns: what ends all of it.
func takingInputs<Input>(
    from begin: @escaping (AnyObserver<Input>) -> any Disposable, _ take: @escaping (Input) -> Void
) -> any Disposable {
    Observable<Input>.create(begin).subscribe(onNext: take)
}

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
