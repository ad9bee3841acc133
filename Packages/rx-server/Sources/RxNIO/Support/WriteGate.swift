import NIOConcurrencyHelpers
import NIOCore
import RxSwift

/// A scheduler of a loop that stands still while a channel is not writable. A boundary on it that pauses is therefore
/// full when the channel is, and pauses what fills it.
///
/// Guards: `state` is under its lock; actions are run and let go of outside. The closures are set before anything is
/// scheduled, and called on the loop, but for `isShutDown`.
final class WriteGate: ImmediateSchedulerType, @unchecked Sendable {  // because of the guards
    private struct State {
        var waiting = CircularBuffer<LoopAction>()
        /// Whether a turn is under way.
        var isDue = false
        var isClosed = false
    }

    /// After so many actions other work of the loop has its turn.
    private static let burst = 256

    private let loop: any EventLoop
    private let state = NIOLockedValueBox(State())

    /// Whether actions may run.
    var isOpen: () -> Bool = { true }
    /// Called after the actions of a turn.
    var hasPassed: () -> Void = {}
    /// Called, on any thread, where the loop runs nothing any more.
    var isShutDown: () -> Void = {}

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        let job = LoopAction { action(state) }
        let (takes, isFirst) = self.state.withLockedValue { state in
            if state.isClosed { return (false, false) }
            state.waiting.append(job)
            defer { state.isDue = true }
            return (true, !state.isDue)
        }
        if !takes { job.dispose() }
        if isFirst { queueTurn() }
        return job
    }

    /// Lets what waits through, where the channel has become writable, or has closed. On the loop.
    func look() {
        let isFirst = state.withLockedValue { state in
            if state.isDue || state.waiting.isEmpty { return false }
            state.isDue = true
            return true
        }
        if isFirst { queueTurn() }
    }

    /// Lets go of what waits, and takes nothing more.
    func close() {
        let waiting = state.withLockedValue { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in waiting { job.dispose() }
    }

    private func queueTurn() {
        loop.call({ self.turn() }, orWhenShutDown: { self.isShutDown() })
    }

    private func turn() {
        var left = Self.burst
        while left > 0, isOpen(), let job = state.withLockedValue({ $0.waiting.popFirst() }) {
            job.run()
            left -= 1
        }
        hasPassed()
        let isOpen = isOpen()
        let goesOn = state.withLockedValue { state in
            state.isDue = isOpen && !state.waiting.isEmpty
            return state.isDue
        }
        if goesOn { queueTurn() }
    }
}
