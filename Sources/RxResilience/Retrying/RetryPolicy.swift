public import Dispatch
public import RxSwift

/// The number of attempts, and the pauses between them.
///
/// Random, growing pauses prevent the clients of a failed service from retrying together. The kinds of jitter are those
/// of Marc Brooker's "Exponential Backoff And Jitter" in the AWS Architecture Blog (2015).
///
///     call.retry(.exponential(from: .milliseconds(50), limit: .seconds(2), attempts: 4), scheduler: scheduler)
public struct RetryPolicy: Sendable {
    /// The random part of a pause. The *ceiling* of a pause is the previous ceiling times the factor, up to the limit.
    public enum Jitter: Sendable {
        /// The pause is the ceiling.
        case none
        /// The pause is between zero and the ceiling.
        case full
        /// The pause is between half the ceiling and the ceiling.
        case equal
        /// The pause is between the first ceiling and the factor times the previous pause, up to the limit.
        case decorrelated
    }

    /// The number of attempts, including the first.
    public let attempts: Int
    /// The ceiling of the first pause, in nanoseconds.
    let first: Double
    /// The maximum pause, in nanoseconds.
    let limit: Double
    let factor: Double
    let jitter: Jitter

    private init(attempts: Int, first: RxTimeInterval, limit: RxTimeInterval, factor: Double, jitter: Jitter) {
        if attempts < 1 {
            rxFatalError(
                "A call needs at least one attempt", operator: "RetryPolicy", argument: "attempts", value: attempts)
        }
        self.attempts = attempts
        // The limit is at most a century, so no `Int` of nanoseconds overflows.
        self.limit = min(Double(limit.nanosecondsInInt), 3_155_760_000e9)
        self.first = min(Double(first.nanosecondsInInt), self.limit)
        // Also rejects NaN.
        if !(factor >= 0) {
            rxFatalError(
                "A factor multiplies the pause and can't be negative", operator: "RetryPolicy", argument: "factor",
                value: factor)
        }
        // Infinity times zero would be NaN.
        self.factor = min(factor, .greatestFiniteMagnitude)
        self.jitter = jitter
    }

    /// A policy with random, growing pauses.
    ///
    /// `first` is the ceiling of the first pause, and `factor` multiplies it for each further pause. `jitter` is the
    /// random part of a pause. `limit` is the maximum pause, unless an error requests a longer one (``RetryAfter``).
    /// `attempts` includes the first attempt. A negative `factor`, or `attempts` less than 1, stops the process.
    public static func exponential(
        from first: RxTimeInterval, limit: RxTimeInterval, factor: Double = 2, jitter: Jitter = .full, attempts: Int = 3
    ) -> RetryPolicy {
        RetryPolicy(attempts: attempts, first: first, limit: limit, factor: factor, jitter: jitter)
    }

    /// A policy with pauses of the same length or, with a `jitter`, random pauses whose ceiling is `pause`.
    ///
    /// `attempts` includes the first attempt; a number less than 1 stops the process.
    public static func every(_ pause: RxTimeInterval, jitter: Jitter = .none, attempts: Int = 3) -> RetryPolicy {
        RetryPolicy(attempts: attempts, first: pause, limit: pause, factor: 1, jitter: jitter)
    }

    /// A policy without pauses: each attempt is made at once, on the thread that sends the error. Use a budget, so that
    /// an overloaded service can recover.
    ///
    /// `attempts` includes the first attempt; a number less than 1 stops the process.
    public static func atOnce(attempts: Int = 3) -> RetryPolicy {
        .every(.nanoseconds(0), attempts: attempts)
    }
}

extension RetryPolicy {
    /// Returns the pause after a number of failures, for a caller that counts failures itself. Zero failures count as
    /// one. `generator` gives the jitter.
    ///
    /// With decorrelated jitter, the pause does not depend on the previous pause: it is random between the first
    /// ceiling and the ceiling of this failure.
    public func pause(
        afterFailures failures: Int, using generator: inout some RandomNumberGenerator
    ) -> RxTimeInterval {
        var ceiling = first
        for _ in 1..<max(failures, 1) {
            let grown = min(ceiling * factor, limit)
            if grown == ceiling { break }
            ceiling = grown
        }
        let pause: Double =
            switch jitter {
            case .none: ceiling
            case .full: .random(in: 0...ceiling, using: &generator)
            case .equal: ceiling / 2 + .random(in: 0...ceiling / 2, using: &generator)
            case .decorrelated: .random(in: min(first, ceiling)...ceiling, using: &generator)
            }
        return .nanoseconds(Int(pause))
    }
}

/// The pauses of a call, in nanoseconds.
struct RetryPauses<Generator: RandomNumberGenerator> {
    private let policy: RetryPolicy
    private var generator: Generator
    /// The ceiling of the next pause; with decorrelated jitter, the previous pause.
    private var ceiling: Double

    init(_ policy: RetryPolicy, _ generator: Generator) {
        self.policy = policy
        self.generator = generator
        ceiling = policy.first
    }

    mutating func next() -> Int {
        // `grown` is finite, so that the random range is valid.
        let grown = min(ceiling * policy.factor, .greatestFiniteMagnitude)
        let pause: Double
        switch policy.jitter {
        case .none: pause = ceiling
        case .full: pause = .random(in: 0...ceiling, using: &generator)
        case .equal: pause = ceiling / 2 + .random(in: 0...ceiling / 2, using: &generator)
        case .decorrelated:
            pause = min(.random(in: policy.first...max(policy.first, grown), using: &generator), policy.limit)
            ceiling = pause
            return Int(pause)
        }
        ceiling = min(grown, policy.limit)
        return Int(pause)
    }
}
