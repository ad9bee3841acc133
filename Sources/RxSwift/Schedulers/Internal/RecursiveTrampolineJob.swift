public import CRxCore

/// A recursion on ``CurrentThreadScheduler``. While each step requests only one further step, the job queues itself and
/// allocates nothing.
///
/// | bits of the word | meaning | changed by |
/// |---|---|---|
/// | 0 *disposed* | no further step begins | `dispose`, to 1 |
/// | 1 to 31 *queued* | the number of waiting steps | a running step increments it; a step that begins decrements it |
/// | from 32 *running* | the number of running steps | a step that begins increments it; one that ends decrements it |
///
/// 1. *One end*: if *disposed* is 1, no step begins, because its CAS fails. Only a running step queues another step. So
///    the recursion has ended when *running* is 0, and *queued* is 0 or *disposed* is 1. The thread whose RMW leads to
///    this state frees `action` and `nextState`.
/// 2. *Two RMWs a step*: one begins the step, one ends it. If the step requests the next step on its own thread, the
///    second RMW also counts the request. The next step begins after that RMW, on the same thread.
///
/// Guards:
/// - `action`: read by running steps; freed at the end.
/// - `home`: written by the first step, before another step is counted.
/// - `nextState`: used only while a step runs, and only by the thread that owns the trampoline `home`; freed at the
///   end.
// @unchecked Sendable because of the guards above.
@usableFromInline
final class RecursiveTrampolineJob<State>: SpecialisedJob, Cancelable, @unchecked Sendable {
    @inlinable static var disposed: UInt { 1 }
    @inlinable static var queued: UInt { 2 }
    @inlinable static var running: UInt { 1 << 32 }

    @usableFromInline
    @exclusivity(unchecked)
    var action: ((State, (State) -> Void) -> Void)?
    @usableFromInline
    @exclusivity(unchecked)
    var nextState: State?
    @usableFromInline
    @exclusivity(unchecked)
    var home: UnsafeMutablePointer<TrampolineQueue>?

    @inlinable
    init(_ state: State, _ action: @escaping (State, (State) -> Void) -> Void) {
        self.action = action
        nextState = state
        super.init { unsafeDowncast($0, to: RecursiveTrampolineJob<State>.self).step() }
        _ = count(Self.queued)
    }

    @usableFromInline
    var isDisposed: Bool {
        let word = crx_flag_load_acquire(flag)
        return word & Self.disposed != 0 || word < Self.queued
    }

    /// Prevents further steps. The state of a waiting ``FurtherStep`` is freed at its turn.
    @usableFromInline
    func dispose() {
        let old = crx_flag_fetch_or_acq_rel(flag, Self.disposed)
        if old & Self.disposed == 0, (Self.queued..<Self.running).contains(old) { free() }
    }

    @inlinable
    func step() {
        guard begin(), let state = nextState.take() else { return }
        if home == nil { home = Trampoline.current }
        var asked: UInt = 0
        action?(state) { next in
            if queue(next) { asked = Self.queued } else { again(next) }
        }
        end(asking: asked)
    }

    fileprivate func perform(_ state: State) {
        guard begin() else { return }
        action?(state) { again($0) }
        end(asking: 0)
    }

    @usableFromInline
    func again(_ state: State) {
        guard count(Self.queued) else { return }
        if !queue(state) { Trampoline.enqueue(FurtherStep(self, state)) }
    }

    /// If the caller's trampoline is `home` and this job is not waiting there, enqueues this job and returns true.
    @inlinable
    @inline(__always)
    func queue(_ state: State) -> Bool {
        guard Trampoline.current == home, nextState == nil else { return false }
        nextState = state
        Trampoline.enqueue(self)
        return true
    }

    @inlinable
    func begin() -> Bool {
        count(Self.running &- Self.queued)
    }

    /// Adds `change` to the word. Returns false and adds nothing if the recursion has been disposed of.
    @inlinable
    func count(_ change: UInt) -> Bool {
        var word = crx_flag_load_relaxed(flag)
        while word & Self.disposed == 0 {
            let seen = crx_flag_compare_and_swap_acq_rel(flag, word, word &+ change)
            if seen == word { return true }
            word = seen
        }
        return false
    }

    @inlinable
    @inline(__always)
    func end(asking asked: UInt) {
        let change = asked &- Self.running
        let word = crx_flag_fetch_add_acq_rel(flag, change) &+ change
        if word < Self.running, word & Self.disposed != 0 || word < Self.queued { free() }
    }

    @usableFromInline
    func free() {
        action = nil
        nextState = nil
    }
}

/// A step that was requested while another step waited, or on another thread.
// @unchecked Sendable because `state` never changes and is only passed to the step.
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
