internal import CRxCore

/// A user's action that runs later. The object is also the timer and the `Disposable`. The word and the guards are
/// those of ``ScheduledAction``.
final class TimedAction<State>: TimedJob, Cancelable, @unchecked Sendable {  // because of the guards above
    // State and action are stored separately: a closure that captures both would cost another allocation.
    private var work: (state: State, action: (State) -> any Disposable)?
    private var result: (any _DisposableReference)?

    init(_ home: TimerHome, _ state: State, _ action: @escaping (State) -> any Disposable) {
        work = (state, action)
        super.init(home)
    }

    var isDisposed: Bool { ActionWord.isDisposed(flag) }

    override func run() {
        guard ActionWord.begin(flag), let work = work.take() else { return }
        let made = work.action(work.state)
        if made is NopDisposable { return }
        result = made._reference
        if ActionWord.setResult(flag) { result.take()?.dispose() }
    }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into worklist: inout _DisposalWorklist) {
        let owned = ActionWord.dispose(flag)
        if owned.work {
            work = nil
            stop()
        }
        if owned.result, let result = result.take() { worklist.push(result) }
    }

    override func drop() {
        dispose()
    }
}
