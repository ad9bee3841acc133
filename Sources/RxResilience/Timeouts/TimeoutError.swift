public import Dispatch
public import RxSwift

/// A span of time was exceeded.
public struct TimeoutError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a span of time is the bound of.
    public enum Span: String, Sendable {
        /// From the subscription to the first element.
        case first
        /// Between two elements, and from the last one to the end.
        case between
        /// From the subscription to the end.
        case total
        /// Until a ``Deadline``.
        case deadline
    }

    /// Which span was exceeded.
    public let exceeded: Span
    /// How long it was.
    public let limit: RxTimeInterval

    /// An error that says that a span was exceeded.
    ///
    /// - Parameters:
    ///   - exceeded: which span.
    ///   - limit: how long it was.
    public init(exceeded: Span, limit: RxTimeInterval) {
        self.exceeded = exceeded
        self.limit = limit
    }

    /// The span and how long it was: `timeout: first exceeded 2 s`.
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
