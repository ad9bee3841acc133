internal import CRxCore

/// Runs an action repeatedly, with the state that the previous run returned. Runs are due at multiples of the period
/// after the first due time. If several periods elapse while the job waits or runs, one run follows at once.
///
/// The word: bit 0 *disposed*, bit 1 *running*.
///
/// Guards:
/// - `action`, `state`: owned by the run while *running* is set. `dispose` frees them. If a run is in progress, `run`
///   frees them instead.
/// - `due`: owned by the thread that starts the timer: first the thread that made the job, then the current run.
final class PeriodicAction<State>: TimedJob, Cancelable, @unchecked Sendable {  // because of the guards above
    private static var disposed: UInt { 1 }
    private static var running: UInt { 2 }

    private var action: ((State) -> State)?
    private var state: State?
    private var due: UInt64
    private let period: UInt64
    private let leeway: UInt64

    /// - Parameter period: the period in nanoseconds, at least one.
    init(
        _ home: TimerHome, _ state: State, first: UInt64, period: UInt64, leeway: UInt64,
        _ action: @escaping (State) -> State
    ) {
        self.state = state
        self.action = action
        self.period = period
        self.leeway = leeway
        due = first
        super.init(home)
    }

    func start() {
        let now = TimerService.now
        start(at: due <= now ? now : due.within(leeway), now: now)
    }

    var isDisposed: Bool { crx_flag_load_acquire(flag) & Self.disposed != 0 }

    override func run() {
        guard crx_flag_compare_and_swap_acq_rel(flag, 0, Self.running) == 0 else { return }
        let now = TimerService.now
        let missed = now > due ? (now - due) / period : 0
        due = due.addingSaturating(period.multipliedSaturating(by: missed + 1))
        if let action, let old = state.take() { state = action(old) }
        if crx_flag_compare_and_swap_acq_rel(flag, Self.running, 0) != Self.running { return free() }
        start()
        // Another thread may have called `dispose` before `start`, when there was no timer to cancel.
        if isDisposed { stop() }
    }

    func dispose() {
        let old = crx_flag_fetch_or_acq_rel(flag, Self.disposed)
        if old & Self.disposed != 0 { return }
        if old == 0 { free() }
        stop()
    }

    override func drop() {
        dispose()
    }

    private func free() {
        action = nil
        state = nil
    }
}
