internal import CRxCore
internal import Dispatch

/// Timers on a dispatch queue, for the schedulers that run on one. Dispatch's time is monotonic.
///
/// `@unchecked Sendable`: its properties never change, and Dispatch's objects may be used from any thread.
struct DispatchTimers: @unchecked Sendable {
    let queue: DispatchQueue
    let leeway: DispatchTimeInterval

    /// Runs an action once, after a span of time.
    func schedule<State>(_ state: State, after dueTime: DispatchTimeInterval, _ action: @escaping (State) -> any Disposable)
        -> any Disposable
    {
        let job = ScheduledAction { action(state) }
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = DispatchTimer(source, job)
        // The timer keeps itself alive until it has fired or is disposed of: cancelling makes Dispatch let the handler go.
        source.setEventHandler {
            job.run()
            timer.cancel()
        }
        source.schedule(deadline: .now() + dueTime, leeway: leeway)
        source.resume()
        return timer
    }

    /// Runs an action again and again.
    func schedule<State>(
        _ state: State, after dueTime: DispatchTimeInterval, every period: DispatchTimeInterval, _ action: @escaping (State) -> State
    ) -> any Disposable {
        let job = PeriodicAction(state, action)
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = DispatchTimer(source, job)
        source.setEventHandler { job.run() }
        source.schedule(deadline: .now() + dueTime, repeating: period, leeway: leeway)
        source.resume()
        return timer
    }
}

/// A timer and what it runs.
///
/// Both never change; both are safe to use from any thread.
private final class DispatchTimer: Cancelable, @unchecked Sendable {  // because of the line above
    private let source: any DispatchSourceTimer
    private let job: any Cancelable

    init(_ source: any DispatchSourceTimer, _ job: any Cancelable) {
        self.source = source
        self.job = job
    }

    var isDisposed: Bool { job.isDisposed }

    func cancel() {
        source.cancel()
    }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into agenda: inout _DisposalAgenda) {
        source.cancel()
        job._dispose(into: &agenda)
    }
}

/// Runs an action with the state that its last run returned. Its runs are one after the other.
///
/// The word: bit 0 *disposed*, bit 1 *running*.
/// - `work`, `state`: owned by the run while *running* is set; freed by whoever leaves the word at exactly *disposed*.
final class PeriodicAction<State>: ScheduledJob, Cancelable, @unchecked Sendable {  // because of the guard above
    private static var disposed: UInt { 1 }
    private static var running: UInt { 2 }

    @exclusivity(unchecked)
    private var action: ((State) -> State)?
    @exclusivity(unchecked)
    private var state: State?

    init(_ state: State, _ action: @escaping (State) -> State) {
        self.state = state
        self.action = action
    }

    var isDisposed: Bool { crx_flag_load_acquire(flag) & Self.disposed != 0 }

    override func run() {
        guard crx_flag_compare_and_swap_acq_rel(flag, 0, Self.running) == 0 else { return }
        if let action, let old = state.take() { state = action(old) }
        if crx_flag_compare_and_swap_acq_rel(flag, Self.running, 0) != Self.running { free() }
    }

    func dispose() {
        if crx_flag_fetch_or_acq_rel(flag, Self.disposed) == 0 { free() }
    }

    private func free() {
        action = nil
        state = nil
    }
}
