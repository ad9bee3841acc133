import NIOConcurrencyHelpers
import NIOCore
import RxSwift

/// A periodic action on a loop, with the state that its last run returned.
///
/// Runs are due at multiples of the period after the first run. Periods that elapse during a run are merged into one
/// run, which follows directly.
///
/// Guards: `state` is protected by its lock. No action runs and nothing is released while the lock is held. `due`
/// belongs to the thread of the first `start`, then to the current run. There is one run at a time.
final class LoopPeriod<Value>: LoopWork, Cancelable, @unchecked Sendable {  // because of the guards
    private struct State {
        /// The action and its next argument. Nil while the action runs, and after the disposal.
        var step: (action: (Value) -> Value, value: Value)?
        var timer: NIOScheduledCallback?
        var runs = 0
        var isDisposed = false
    }

    private let loop: any EventLoop
    private let period: TimeAmount
    private var due: NIODeadline
    private let state: NIOLockedValueBox<State>

    init(
        on loop: any EventLoop, _ value: Value, first: NIODeadline, period: TimeAmount,
        _ action: @escaping (Value) -> Value
    ) {
        self.loop = loop
        self.period = max(period, .nanoseconds(1))
        due = first
        state = NIOLockedValueBox(State(step: (action, value)))
    }

    func start() {
        let run = state.withLockedValue { $0.runs }
        guard let timer = try? loop.scheduleCallback(at: due, handler: LoopTurn(self)) else { return }
        let isLate = state.withLockedValue { state in
            // If the run has already started, it sets the next timer itself.
            if state.runs == run, !state.isDisposed { state.timer = timer }
            return state.isDisposed
        }
        if isLate { timer.cancel() }
    }

    func run() {
        let (step, timer) = state.withLockedValue { state in
            state.runs += 1
            return (state.step.take(), state.timer.take())
        }
        withExtendedLifetime(timer) {}
        guard let step else { return }
        let missed = (loop.now - due).nanoseconds / period.nanoseconds
        due = due + .nanoseconds(saturating: period.nanoseconds, times: max(0, missed) + 1)
        let next = (step.action, step.action(step.value))
        let isDisposed = state.withLockedValue { state in
            if !state.isDisposed { state.step = next }
            return state.isDisposed
        }
        if !isDisposed { start() }
    }

    func drop() {
        close()
    }

    var isDisposed: Bool { state.withLockedValue { $0.isDisposed } }

    func dispose() {
        close()?.cancel()
    }

    /// Returns the pending timer, if there is one. Later calls return nil.
    @discardableResult
    private func close() -> NIOScheduledCallback? {
        let (step, timer) = state.withLockedValue { state in
            state.isDisposed = true
            return (state.step.take(), state.timer.take())
        }
        return withExtendedLifetime(step) { timer }
    }
}
