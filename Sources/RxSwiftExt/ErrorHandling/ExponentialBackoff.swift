public import Dispatch
import RxSwift

/// How often to try again, after pauses that grow up to a limit and are spread at random.
///
/// When a service fails, its clients fail together; where all of them wait equally long they come back together, and it
/// fails again. Random pauses spread them. The four ways are those of Marc Brooker's "Exponential Backoff And Jitter"
/// in the AWS Architecture Blog (2015), with his names; he finds that ``Jitter-swift.enum/full`` does the least work
/// for the same success.
///
///     request.retry(
///         backoff: ExponentialBackoff(maxCount: 6, initial: .milliseconds(100), limit: .seconds(20)),
///         scheduler: ConcurrentDispatchQueueScheduler(qos: .utility),
///         shouldRetry: { $0 is Unavailable })
public struct ExponentialBackoff: Sendable {
    /// How chance takes part. The ceiling of the first pause is `initial`; it grows by the factor `multiplier` up to
    /// `limit`.
    public enum Jitter: Sendable {
        /// None: the pause is the ceiling.
        case none
        /// Anything between nothing and the ceiling.
        case full
        /// Half of the ceiling, and anything up to as much again.
        case equal
        /// Anything between `initial` and `multiplier` times the pause before, up to `limit`. The blog's factor is 3.
        case decorrelated
    }

    /// How many subscriptions there may be, the first included. The first takes place in any case.
    public var maxCount: UInt
    /// The ceiling of the first pause.
    public var initial: RxTimeInterval
    /// How much the ceiling grows from one pause to the next.
    public var multiplier: Double
    /// What no pause exceeds.
    public var limit: RxTimeInterval
    /// How chance takes part.
    public var jitter: Jitter

    /// - Parameters:
    ///   - maxCount: how many subscriptions there may be, the first included.
    ///   - initial: the ceiling of the first pause.
    ///   - multiplier: how much the ceiling grows from one pause to the next; a negative one, or one that is no number,
    ///     counts as 1.
    ///   - limit: what no pause exceeds.
    ///   - jitter: how chance takes part.
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
    /// Subscribes again when this sequence fails, after pauses that grow and are spread at random.
    ///
    ///     source:                                     --1--# --1--#   --1--#
    ///     retry(backoff:), pauses of 2 and 4 columns: --1------1--------1--#
    ///
    /// ![The source once more after growing pauses](marble-retry-backoff)
    ///
    /// The error of the last subscription ends the result. The failed subscription is disposed before the pause, and
    /// disposing the result ends a pause at once.
    ///
    /// - Parameters:
    ///   - backoff: how often, and how long the pauses are.
    ///   - scheduler: where pauses are waited for, and the source is subscribed after one.
    ///   - generator: where chance comes from. Each subscription of the result begins with a copy of it, so that one
    ///     with a fixed seed makes the same pauses each time.
    ///   - shouldRetry: called with each error that is not the last one allowed, on the thread that delivers it;
    ///     `false` ends the result with the error.
    public func retry<Generator: RandomNumberGenerator & Sendable>(
        backoff: ExponentialBackoff, scheduler: any SchedulerType,
        using generator: Generator = SystemRandomNumberGenerator(),
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Observable<Element> {
        retry(scheduler: scheduler) {
            // The errors come one at a time.
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

/// The pauses of one subscription, in seconds.
struct BackoffPauses<Generator: RandomNumberGenerator> {
    private let initial: Double
    private let multiplier: Double
    private let limit: Double
    private let jitter: ExponentialBackoff.Jitter
    private var generator: Generator
    /// The ceiling of the next pause; where they are decorrelated, the pause before it.
    private var ceiling: Double

    init(_ backoff: ExponentialBackoff, _ generator: Generator) {
        limit = backoff.limit.seconds
        initial = min(backoff.initial.seconds, limit)
        // Not a number is no growth, and infinity is not to make one of a pause of zero.
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

    /// Finite whatever the multiplier is, so that chance has a range.
    private var grown: Double { min(ceiling * multiplier, .greatestFiniteMagnitude) }
}

extension RxTimeInterval {
    /// The span in seconds, from zero up to a century.
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
