internal import CRxCore

/// A recursion on ``CurrentThreadScheduler``: as long as each step asks for one more, the job queues itself again and
/// allocates nothing.
///
/// The word counts the steps that are queued or run, in twos; bit 0 is *disposed*. A step is counted before it is
/// queued, by a step that runs, so the count reaches 0 once, after which there are none.
/// - `action`: read by counted steps; freed by the thread that takes the last one away, for then nobody can ask for
///   another.
/// - `home`: written by the first step, before any other is counted.
/// - `nextState`: the thread whose trampoline is `home`, alone.
// @unchecked Sendable because of the guards above.
final class RecursiveTrampolineJob<State>: ScheduledJob, Cancelable, @unchecked Sendable {
    private static var disposed: UInt { 1 }
    private static var step: UInt { 2 }

    @exclusivity(unchecked)
    private var action: ((State, (State) -> Void) -> Void)?
    @exclusivity(unchecked)
    private var nextState: State?
    @exclusivity(unchecked)
    private var home: UnsafeMutablePointer<TrampolineQueue>?

    init(_ state: State, _ action: @escaping (State, (State) -> Void) -> Void) {
        self.action = action
        nextState = state
        super.init()
        _ = beginStep()
    }

    /// Whether nothing of it will run any more.
    var isDisposed: Bool {
        let word = crx_flag_load_acquire(flag)
        return word & Self.disposed != 0 || word < Self.step
    }

    /// Lets no further step begin. What is queued is freed when its turn comes.
    func dispose() {
        crx_flag_fetch_or_acq_rel(flag, Self.disposed)
    }

    override func run() {
        guard let state = nextState.take() else { return }
        if home == nil { home = Trampoline.current }
        perform(state)
    }

    /// Runs a step that has been counted.
    fileprivate func perform(_ state: State) {
        if crx_flag_load_relaxed(flag) & Self.disposed == 0 { action?(state) { self.again($0) } }
        endStep()
    }

    private func again(_ state: State) {
        guard beginStep() else { return }
        if Trampoline.current == home, nextState == nil {
            nextState = state
            Trampoline.enqueue(self)
        } else {
            Trampoline.enqueue(FurtherStep(self, state))
        }
    }

    private func beginStep() -> Bool {
        var word = crx_flag_load_relaxed(flag)
        while word & Self.disposed == 0 {
            let seen = crx_flag_compare_and_swap_acq_rel(flag, word, word &+ Self.step)
            if seen == word { return true }
            word = seen
        }
        return false
    }

    private func endStep() {
        if crx_flag_fetch_add_acq_rel(flag, 0 &- Self.step) & ~Self.disposed == Self.step { action = nil }
    }
}

/// A step that was asked for while another one waited, or on another thread.
// @unchecked Sendable because it is only handed on: `state` never changes.
private final class FurtherStep<State>: ScheduledJob, @unchecked Sendable {
    private let recursion: RecursiveTrampolineJob<State>
    private let state: State

    init(_ recursion: RecursiveTrampolineJob<State>, _ state: State) {
        self.recursion = recursion
        self.state = state
    }

    override func run() {
        recursion.perform(state)
    }
}
