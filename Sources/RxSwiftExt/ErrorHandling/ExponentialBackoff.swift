public import Dispatch
import RxSwift

/// A number of attempts, with random pauses that grow up to a limit.
///
/// If all clients of a failed service wait equally long, they call again together, and the service fails again. Random
/// pauses spread the calls. The kinds of jitter are those of Marc Brooker's "Exponential Backoff And Jitter", AWS
/// Architecture Blog (2015). The article finds that ``Jitter-swift.enum/full`` causes the least work.
///
///     request.retry(
///         backoff: ExponentialBackoff(maxCount: 6, initial: .milliseconds(100), limit: .seconds(20)),
///         scheduler: ConcurrentDispatchQueueScheduler(qos: .utility),
///         shouldRetry: { $0 is Unavailable })
public struct ExponentialBackoff: Sendable {
    /// The random part of a pause. The *ceiling* is `initial` for the first pause, then `multiplier` times the previous
    /// ceiling, up to `limit`.
    public enum Jitter: Sendable {
        /// Each pause is the ceiling.
        case none
        /// Each pause is between zero and the ceiling.
        case full
        /// Each pause is between half of the ceiling and the ceiling.
        case equal
        /// Each pause is between `initial` and `multiplier` times the previous pause, up to `limit`. The article uses a
        /// factor of 3.
        case decorrelated
    }

    /// The maximum number of subscriptions, including the first, which is always made.
    public var maxCount: UInt
    /// The ceiling of the first pause.
    public var initial: RxTimeInterval
    /// The factor from one ceiling to the next; a negative number or NaN counts as 1.
    public var multiplier: Double
    /// The maximum pause.
    public var limit: RxTimeInterval
    /// The random part of a pause.
    public var jitter: Jitter

    /// Stores `maxCount`, `initial`, `multiplier`, `limit` and `jitter` in the properties of the same names.
    public init(
        maxCount: UInt, initial: RxTimeInterval, multiplier: Double = 2, limit: RxTimeInterval, jitter: Jitter = .full
    ) {
        self.maxCount = maxCount
        self.initial = initial
        self.multiplier = multiplier
        self.limit = limit
        self.jitter = jitter
    }
}

extension ObservableType {
    /// Subscribes again when this sequence fails, after random pauses that grow.
    ///
    ///     source:                                     --1--# --1--#   --1--#
    ///     retry(backoff:), pauses of 2 and 4 columns: --1------1--------1--#
    ///
    /// ![The source once more after growing pauses](marble-retry-backoff)
    ///
    /// Otherwise like `retry(_:scheduler:shouldRetry:)`.
    ///
    /// - Parameters:
    ///   - backoff: the number of subscriptions and the pauses.
    ///   - scheduler: ends the pauses, and subscribes to the source again.
    ///   - generator: each subscription to the result starts with a copy of the generator, so a fixed seed gives the
    ///     same pauses.
    ///   - shouldRetry: called with each error except the last, on the delivering thread. If it returns `false`, the
    ///     result fails with the error.
    public func retry<Generator: RandomNumberGenerator & Sendable>(
        backoff: ExponentialBackoff, scheduler: any SchedulerType,
        using generator: Generator = SystemRandomNumberGenerator(),
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Observable<Element> {
        retry(scheduler: scheduler) {
            // Errors arrive one at a time, so these variables need no lock.
            var count: UInt = 0
            var pauses = BackoffPauses(backoff, generator)
            return { error in
                count += 1
                guard backoff.maxCount > count, shouldRetry(error) else { throw error }
                return pauses.next()
            }
        }
    }
}

/// Computes the pauses of one subscription, in seconds.
struct BackoffPauses<Generator: RandomNumberGenerator> {
    private let initial: Double
    private let multiplier: Double
    private let limit: Double
    private let jitter: ExponentialBackoff.Jitter
    private var generator: Generator
    /// The ceiling of the next pause; with decorrelated jitter, the previous pause.
    private var ceiling: Double

    init(_ backoff: ExponentialBackoff, _ generator: Generator) {
        limit = backoff.limit.seconds
        initial = min(backoff.initial.seconds, limit)
        // NaN counts as 1. Infinity becomes finite, because infinity times a pause of zero would be NaN.
        multiplier = backoff.multiplier >= 0 ? min(backoff.multiplier, .greatestFiniteMagnitude) : 1
        jitter = backoff.jitter
        self.generator = generator
        ceiling = initial
    }

    mutating func next() -> RxTimeInterval {
        let pause: Double
        switch jitter {
        case .none: pause = ceiling
        case .full: pause = .random(in: 0...ceiling, using: &generator)
        case .equal: pause = ceiling / 2 + .random(in: 0...ceiling / 2, using: &generator)
        case .decorrelated:
            pause = min(.random(in: initial...max(initial, grown), using: &generator), limit)
            ceiling = pause
            return .nanoseconds(Int(pause * 1e9))
        }
        ceiling = min(grown, limit)
        return .nanoseconds(Int(pause * 1e9))
    }

    /// `ceiling` times `multiplier`, but finite, so that the random range is valid.
    private var grown: Double { min(ceiling * multiplier, .greatestFiniteMagnitude) }
}

extension RxTimeInterval {
    /// The interval in seconds, at least zero and at most a century.
    fileprivate var seconds: Double {
        let seconds: Double =
            switch self {
            case .seconds(let count): Double(count)
            case .milliseconds(let count): Double(count) / 1e3
            case .microseconds(let count): Double(count) / 1e6
            case .nanoseconds(let count): Double(count) / 1e9
            case .never: .infinity
            @unknown default: .infinity
            }
        return max(0, min(seconds, 3_155_760_000))
    }
}
