import NIOConcurrencyHelpers
import NIOCore
import RxSwift

/// A scheduler that runs actions on an event loop, except while a channel is not writable. While actions wait, the
/// queue of `observe(on:buffering:)` on this scheduler fills.
///
/// Guards: `state` is protected by its lock; actions run and are released outside of it. The closures are set before
/// anything is scheduled. `isOpen` and `hasPassed` are called on the loop.
final class WriteGate: ImmediateSchedulerType, @unchecked Sendable {  // because of the guards
    private struct State {
        var waiting = CircularBuffer<LoopAction>()
        var isDue = false
        var isClosed = false
    }

    /// The maximum number of actions in a turn, so that other tasks of the loop can run.
    private static let burst = 256

    private let loop: any EventLoop
    private let state = NIOLockedValueBox(State())

    var isOpen: () -> Bool = { true }
    var hasPassed: () -> Void = {}
    /// Called on any thread.
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

    /// Called on the loop when the channel has become writable or has closed.
    func look() {
        let isFirst = state.withLockedValue { state in
            if state.isDue || state.waiting.isEmpty { return false }
            state.isDue = true
            return true
        }
        if isFirst { queueTurn() }
    }

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
