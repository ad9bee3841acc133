public import Dispatch
public import RxSwift

/// The error of a sequence or call that took too long.
public struct TimeoutError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of spans.
    public enum Span: String, Sendable {
        /// The time from the subscription to the first element.
        case first
        /// The time between two elements, or from the last element to the end.
        case between
        /// The time from the subscription to the end.
        case total
        /// The time until a ``Deadline``.
        case deadline
    }

    /// The kind of the exceeded span.
    public let exceeded: Span
    /// The length of the span.
    public let limit: RxTimeInterval

    /// Creates an error for the span `exceeded`, of length `limit`.
    public init(exceeded: Span, limit: RxTimeInterval) {
        self.exceeded = exceeded
        self.limit = limit
    }

    /// The error as text, such as `timeout: first exceeded 2 s`.
    public var description: String {
        let limit =
            switch limit {
            case .seconds(let count): "\(count) s"
            case .milliseconds(let count): "\(count) ms"
            case .microseconds(let count): "\(count) µs"
            case .nanoseconds(let count): "\(count) ns"
            default: "never"
            }
        return "timeout: \(exceeded.rawValue) exceeded \(limit)"
    }
}

extension TimeoutError {
    func tell(_ name: String) {
        Resilience.tell(.timeout, name, .timedOut(exceeded))
    }
}
