import NIOConcurrencyHelpers
import NIOCore
import RxSwift

/// Guards: everything is protected by the lock of `state`. Work, results and timers are called and released outside of
/// the lock.
final class LoopAction: LoopWork, Cancelable, @unchecked Sendable {  // because of the guard
    private struct State {
        var work: (() -> any Disposable)?
        var result: SingleAssignmentDisposable?
        var timer: NIOScheduledCallback?
        var isDisposed = false
    }

    private let state: NIOLockedValueBox<State>

    init(_ work: @escaping () -> any Disposable) {
        state = NIOLockedValueBox(State(work: work))
    }

    func start(on loop: any EventLoop, at deadline: NIODeadline) {
        guard let timer = try? loop.scheduleCallback(at: deadline, handler: LoopTurn(self)) else { return }
        let isLate = state.withLockedValue { state in
            if state.work != nil { state.timer = timer }
            return state.isDisposed
        }
        if isLate { timer.cancel() }
    }

    func run() {
        let (work, timer) = state.withLockedValue { ($0.work.take(), $0.timer.take()) }
        withExtendedLifetime(timer) {}
        guard let made = work?(), !made._isSpent else { return }
        let result = SingleAssignmentDisposable()
        result.setDisposable(made)
        let isDisposed = state.withLockedValue { state in
            if !state.isDisposed { state.result = result }
            return state.isDisposed
        }
        if isDisposed { result.dispose() }
    }

    func drop() {
        close(cancels: false)?.dispose()
    }

    var isDisposed: Bool { state.withLockedValue { $0.isDisposed } }

    func dispose() {
        close(cancels: true)?.dispose()
    }

    func _dispose(into worklist: inout _DisposalWorklist) {
        close(cancels: true)?._dispose(into: &worklist)
    }

    /// Returns the action's result for the caller to dispose of. Later calls return nil. `cancels` is false if the loop
    /// has dropped the timer.
    private func close(cancels: Bool) -> SingleAssignmentDisposable? {
        let (work, timer, result) = state.withLockedValue { state in
            state.isDisposed = true
            return (state.work.take(), state.timer.take(), state.result.take())
        }
        if cancels { timer?.cancel() }
        withExtendedLifetime(work) {}
        return result
    }
}
