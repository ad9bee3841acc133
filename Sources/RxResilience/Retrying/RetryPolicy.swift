public import Dispatch
public import RxSwift

/// How often to try, and how long the pauses between two attempts are.
///
/// When a service fails, its clients fail together; where all of them wait equally long they come back together, and it
/// fails again. So by default the pauses are spread at random, and they grow. The ways to spread them are those of Marc
/// Brooker's "Exponential Backoff And Jitter" in the AWS Architecture Blog (2015).
///
///     call.retry(.exponential(from: .milliseconds(50), limit: .seconds(2), attempts: 4), scheduler: scheduler)
public struct RetryPolicy: Sendable {
    /// How chance takes part in a pause. The *ceiling* of the first one is what the policy begins with; it grows by the
    /// factor, up to the limit.
    public enum Jitter: Sendable {
        /// Not at all: the pause is the ceiling.
        case none
        /// Anything between nothing and the ceiling.
        case full
        /// Half of the ceiling, and anything up to as much again.
        case equal
        /// Anything between the first ceiling and the factor times the pause before, up to the limit.
        case decorrelated
    }

    /// How many attempts a call makes, the first one included.
    public let attempts: Int
    /// The ceiling of the first pause, and of all of them, in nanoseconds.
    let first: Double
    let limit: Double
    let factor: Double
    let jitter: Jitter

    private init(attempts: Int, first: RxTimeInterval, limit: RxTimeInterval, factor: Double, jitter: Jitter) {
        if attempts < 1 {
            rxFatalError("A call needs an attempt", operator: "RetryPolicy", argument: "attempts", value: attempts)
        }
        self.attempts = attempts
        // A century is enough, and is far from where an `Int` of nanoseconds ends.
        self.limit = min(Double(limit.nanosecondsInInt), 3_155_760_000e9)
        self.first = min(Double(first.nanosecondsInInt), self.limit)
        // NaN fails the comparison as well.
        if !(factor >= 0) {
            rxFatalError(
                "A factor multiplies the pause and can't be negative", operator: "RetryPolicy", argument: "factor",
                value: factor)
        }
        // Infinity times a pause of zero would be NaN.
        self.factor = min(factor, .greatestFiniteMagnitude)
        self.jitter = jitter
    }

    /// Pauses that grow, and are spread at random.
    ///
    /// - Parameters:
    ///   - first: the ceiling of the first pause.
    ///   - limit: what no pause exceeds, unless an error asks for it: see ``RetryAfter``.
    ///   - factor: by how much the ceiling is multiplied from one pause to the next; less than 0 stops the process.
    ///   - jitter: how chance takes part.
    ///   - attempts: how many attempts a call makes, the first one included; less than 1 stops the process.
    public static func exponential(
        from first: RxTimeInterval, limit: RxTimeInterval, factor: Double = 2, jitter: Jitter = .full, attempts: Int = 3
    ) -> RetryPolicy {
        RetryPolicy(attempts: attempts, first: first, limit: limit, factor: factor, jitter: jitter)
    }

    /// Pauses that are all alike, or spread at random below one ceiling.
    ///
    /// - Parameters:
    ///   - pause: the pause, or its ceiling.
    ///   - jitter: how chance takes part.
    ///   - attempts: how many attempts a call makes, the first one included; less than 1 stops the process.
    public static func every(_ pause: RxTimeInterval, jitter: Jitter = .none, attempts: Int = 3) -> RetryPolicy {
        RetryPolicy(attempts: attempts, first: pause, limit: pause, factor: 1, jitter: jitter)
    }

    /// No pauses at all: each attempt is made where the error of the one before comes. Under load this is what keeps a
    /// service down: give it a budget.
    ///
    /// - Parameter attempts: how many attempts a call makes, the first one included; less than 1 stops the process.
    public static func atOnce(attempts: Int = 3) -> RetryPolicy {
        .every(.nanoseconds(0), attempts: attempts)
    }
}

extension RetryPolicy {
    /// The pause after so many failures, for who counts them elsewhere: in a queue that says how often it has delivered
    /// a message, say.
    ///
    /// A pause that is decorrelated depends on the one before it, which is not known here: it is anything between the
    /// first ceiling and that of this failure.
    ///
    /// - Parameters:
    ///   - failures: how many, at least 1.
    ///   - generator: where chance comes from.
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

/// The pauses of one call, in nanoseconds.
struct RetryPauses<Generator: RandomNumberGenerator> {
    private let policy: RetryPolicy
    private var generator: Generator
    /// The ceiling of the next pause; where they are decorrelated, the pause before it.
    private var ceiling: Double

    init(_ policy: RetryPolicy, _ generator: Generator) {
        self.policy = policy
        self.generator = generator
        ceiling = policy.first
    }

    mutating func next() -> Int {
        // Finite whatever the factor is, so that chance has a range.
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
