import NIOCore
import Synchronization

/// The replies to requests that were sent together.
///
/// Guards: `state` is protected by its lock, which may be acquired under the client's lock. The code that removes the
/// continuation resumes it exactly once, outside of the lock.
final class Answers: Sendable {
    /// The token of the first request; the tokens are consecutive.
    let first: UInt64
    let count: Int
    let subjects: [String]
    /// The time limit for the first reply, and for each later reply after the previous one.
    private let span: TimeAmount

    private struct State {
        /// When the next reply is overdue; nil until the requests have been sent.
        var deadline: NIODeadline?
        var messages: [IncomingMessage?]
        var left: Int
        var outcome: Result<Void, any Error>?
        var waiting: CheckedContinuation<[IncomingMessage], any Error>?
    }

    private let state: Mutex<State>

    init(first: UInt64, count: Int, to subjects: [String] = [], span: TimeAmount) {
        self.first = first
        self.count = count
        self.subjects = subjects
        self.span = span
        state = Mutex(State(messages: Array(repeating: nil, count: count), left: count))
    }

    var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// Called when the requests have been sent.
    func begin() {
        state.withLock { if $0.deadline == nil { $0.deadline = .now() + span } }
    }

    func isLate(at now: NIODeadline) -> Bool { state.withLock { $0.deadline.map { $0 <= now } ?? false } }

    func wait(_ continuation: CheckedContinuation<[IncomingMessage], any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiting = continuation }
            return state.outcome
        }
        switch outcome {
        case .failure(let error): continuation.resume(throwing: error)
        case .success: continuation.resume(returning: all())
        case nil: break
        }
    }

    func take(_ message: IncomingMessage, for token: UInt64) {
        let waiting = state.withLock { state -> CheckedContinuation<[IncomingMessage], any Error>? in
            let index = Int(token - first)
            guard state.outcome == nil, state.messages[index] == nil else { return nil }
            state.messages[index] = message
            state.left -= 1
            if state.left > 0 {
                state.deadline = .now() + span
                return nil
            }
            state.outcome = .success(())
            return state.waiting.take()
        }
        waiting?.resume(returning: all())
    }

    func fail(_ error: any Error) {
        let waiting = state.withLock { state -> CheckedContinuation<[IncomingMessage], any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = .failure(error)
            return state.waiting.take()
        }
        waiting?.resume(throwing: error)
    }

    private func all() -> [IncomingMessage] {
        state.withLock { $0.messages.compactMap { $0 } }
    }
}
