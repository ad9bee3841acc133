import NIOCore
import Synchronization

/// The answers to requests that were sent together, and the task that waits for all of them.
///
/// Guards: `state` is under its lock, which may be taken within the client's; who takes the continuation out of it
/// resumes it, once, outside.
final class Answers: Sendable {
    /// The requests' tokens follow each other from here.
    let first: UInt64
    let count: Int
    /// To whom they went.
    let subjects: [String]
    /// How long the first of them may take, and each after the one before.
    private let span: TimeAmount

    private struct State {
        /// When it is over without the next one; nil until the requests are on their way.
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

    /// The requests are on their way: the first answer has its time from now on.
    func begin() {
        state.withLock { if $0.deadline == nil { $0.deadline = .now() + span } }
    }

    /// Whether the next answer has not come in time.
    func isLate(at now: NIODeadline) -> Bool { state.withLock { $0.deadline.map { $0 <= now } ?? false } }

    /// Waits, in the task that has sent the requests; called once.
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

    /// Takes the answer to the request of a token.
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

    /// Gives up what has not come.
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
