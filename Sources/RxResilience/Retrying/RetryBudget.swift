public import RxSwift

/// What many calls together may spend on trying again: a bucket of tokens, shared by all that call one service.
///
/// Each call puts a part of a token in, each retry and each hedge takes a whole one out. With a ratio of 0.1, retries
/// are at most a tenth of the calls, whatever each call's own policy allows, but for what the bucket held before: so a
/// service that is slow meets at most a tenth more load, and not a multiple of it. Where the bucket is empty there is
/// no retry, and the error of the attempt passes on.
///
/// For an operator a call is a subscription to its result. So where two operators of one budget stand within each
/// other, as a hedge does within a retry, a call pays in at both, and the budget allows twice as much: give it half of
/// the ratio.
///
///     let payments = RetryBudget(ratio: 0.1)
///     charge.retry(.exponential(from: .milliseconds(50), limit: .seconds(2)), budget: payments, scheduler: scheduler)
///
/// Any thread may use it. A token is spent when a retry is decided on, once; it is not given back where the call is
/// disposed of during the pause.
///
/// Guards: `bucket` has a lock of its own; the clock is read before it is taken.
// @unchecked Sendable because of that guard, and because any thread may read a scheduler's clock.
public final class RetryBudget: @unchecked Sendable {
    private struct Bucket {
        /// In billionths of a token, so that ten tenths are one.
        var content: Int
        /// The part of a billionth that time has brought and `content` does not have yet: from 0 up, below 1.
        var rest = 0.0
        /// Up to when `content` and `rest` have what time brings; the clock's nanoseconds.
        var last: Int
    }

    private static let token = 1_000_000_000

    private let bucket: Locked<Bucket>
    private let capacity: Int
    private let deposit: Int
    /// Billionths of a token in a nanosecond: tokens in a second.
    private let rate: Double
    /// Nil where time brings nothing.
    private let clock: SpanClock?

    /// Makes a budget that holds nothing but what calls put in, beside what it begins with.
    ///
    /// - Parameters:
    ///   - ratio: the part of a token that each call brings, from 0 to 1: 0.1 lets one call in ten be retried. A
    ///     ratio outside of these bounds, as 10 for a percentage, stops the process.
    ///   - burst: how many tokens the bucket holds, and has at first; less than 0 stops the process.
    public convenience init(ratio: Double, burst: Int = 10) {
        self.init(ratio: ratio, burst: burst, rate: 0, clock: nil)
    }

    /// Makes a budget that also fills with time, so that a client with few calls may try again, too.
    ///
    /// - Parameters:
    ///   - ratio: the part of a token that each call brings, from 0 to 1; another one stops the process.
    ///   - burst: how many tokens the bucket holds, and has at first; less than 0 stops the process.
    ///   - perSecond: how many tokens a second brings, without any call; less than 0 stops the process.
    ///   - scheduler: whose clock measures the time.
    public convenience init(ratio: Double, burst: Int = 10, perSecond: Double, scheduler: any SchedulerType) {
        self.init(ratio: ratio, burst: burst, rate: perSecond, clock: SpanClock(scheduler))
    }

    private init(ratio: Double, burst: Int, rate: Double, clock: SpanClock?) {
        if burst < 0 {
            rxFatalError("A count can't be negative", operator: "RetryBudget", argument: "burst", value: burst)
        }
        if !(ratio >= 0 && ratio <= 1) {
            rxFatalError(
                "A ratio is the part of a token that a call brings, from 0 to 1: 0.1 lets one call in ten be retried",
                operator: "RetryBudget", argument: "ratio", value: ratio)
        }
        if !(rate >= 0) {
            rxFatalError(
                "A rate is a number of tokens per second, not less than 0", operator: "RetryBudget",
                argument: "perSecond", value: rate)
        }
        let (most, overflow) = burst.multipliedReportingOverflow(by: Self.token)
        capacity = overflow ? .max : most
        deposit = Self.within(capacity, (ratio * Double(Self.token)).rounded())
        self.rate = rate
        self.clock = clock
        bucket = Locked(Bucket(content: capacity, last: clock?.now ?? 0))
    }

    /// How many tokens there are now.
    public var balance: Double {
        let now = clock?.now
        return Double(bucket.withLock { settled(&$0, now) }) / Double(Self.token)
    }

    /// Notes a call, which brings its part of a token. The operators of this module do so for each subscription to
    /// their result, each for itself where one stands within another; this is for retries of one's own.
    public func recordCall() {
        let now = clock?.now
        bucket.withLock { bucket in
            let content = settled(&bucket, now)
            bucket.content = content + min(deposit, capacity - content)
        }
    }

    /// Takes a token for a retry.
    ///
    /// - Returns: whether there was one; where there was none, do not retry.
    public func takeRetry() -> Bool {
        let now = clock?.now
        return bucket.withLock { bucket in
            let content = settled(&bucket, now)
            guard content >= Self.token else { return false }
            bucket.content = content - Self.token
            return true
        }
    }

    /// Gives a token back that was taken for what has not been tried.
    func giveBack() {
        bucket.withLock { $0.content += min(Self.token, capacity - $0.content) }
    }

    /// Brings the content up to now. Threads may come with their times in any order.
    private func settled(_ bucket: inout Bucket, _ now: Int?) -> Int {
        guard let now, now > bucket.last else { return bucket.content }
        let amount = Double(now.span(since: bucket.last)) * rate + bucket.rest
        let brought = Self.within(capacity - bucket.content, amount)
        bucket.content += brought
        // The rest is kept, so that many readings bring as much as one. A full bucket keeps none.
        bucket.rest = bucket.content < capacity ? amount - Double(brought) : 0
        bucket.last = now
        return bucket.content
    }

    /// From zero up to a most; not a number is zero.
    private static func within(_ most: Int, _ amount: Double) -> Int {
        guard amount > 0 else { return 0 }
        return amount < Double(most) ? min(Int(amount), most) : most
    }
}
