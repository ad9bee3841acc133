public import RxSwift

/// A limit on the retries of all callers of a service: a shared bucket of tokens.
///
/// Each call adds a fraction of a token; each retry and each hedge takes a whole token. With a ratio of 0.1, the number
/// of retries is at most a tenth of the number of calls, plus the initial tokens. If the bucket is empty, the error is
/// passed on.
///
/// Each subscription to the result of an operator counts as a call. If operators with the same budget are nested, such
/// as a hedge within a retry, each operator counts the same call. Then use half the ratio.
///
///     let payments = RetryBudget(ratio: 0.1)
///     charge.retry(.exponential(from: .milliseconds(50), limit: .seconds(2)), budget: payments, scheduler: scheduler)
///
/// Any thread may use a budget. A retry takes its token before the pause. If the call is disposed of during the pause,
/// the token is not returned.
///
/// Guards: `bucket` has a lock. The clock is read before the lock is acquired.
// @unchecked Sendable because of that guard, and because any thread may read a scheduler's clock.
public final class RetryBudget: @unchecked Sendable {
    private struct Bucket {
        /// The tokens, in billionths, so that ten tenths are exactly one token.
        var content: Int
        /// The fraction of a billionth that time has added and that `content` does not include.
        var rest = 0.0
        /// The time of the last update. `content` and `rest` include the tokens that time has added until then.
        var last: Int

        var limits: Limits
        var capacity: Int
        /// The billionths of a token that each call adds.
        var deposit: Int

        init(_ limits: Limits, at now: Int) {
            self.limits = limits
            (capacity, deposit) = (limits.capacity, limits.deposit)
            content = capacity
            last = now
        }

        mutating func change(to limits: Limits) {
            self.limits = limits
            (capacity, deposit) = (limits.capacity, limits.deposit)
            content = min(content, capacity)
            if content == capacity { rest = 0 }
        }
    }

    /// The limits of a budget.
    public struct Limits: Sendable, Hashable {
        /// The fraction of a token that each call adds, from 0 to 1: with 0.1, one call in ten can be retried.
        public var ratio: Double

        /// The maximum number of tokens in the bucket, at least 0.
        public var burst: Int

        /// The number of tokens that each second adds, at least 0.
        public var perSecond: Double

        /// Creates limits from `ratio`, `burst` and `perSecond`. ``RetryBudget/setLimits(_:)`` checks them.
        public init(ratio: Double, burst: Int = 10, perSecond: Double = 0) {
            self.ratio = ratio
            self.burst = burst
            self.perSecond = perSecond
        }

        fileprivate var problem: LimitProblem? {
            if burst < 0 {
                LimitProblem("A count can't be negative", "burst", burst, "tokens")
            } else if !(ratio >= 0 && ratio <= 1) {
                LimitProblem(
                    "A ratio is the share of a token that each call adds, from 0 to 1: 0.1 allows one retry for ten "
                        + "calls", "ratio", ratio, "tokens for each call")
            } else if !(perSecond >= 0) {
                LimitProblem(
                    "A rate is a number of tokens per second, not less than 0", "perSecond", perSecond,
                    "tokens per second")
            } else {
                nil
            }
        }

        fileprivate var capacity: Int {
            let (most, overflow) = burst.multipliedReportingOverflow(by: token)
            return overflow ? .max : most
        }

        fileprivate var deposit: Int { within(capacity, (ratio * Double(token)).rounded()) }
    }

    private static let token = 1_000_000_000

    /// The budget's name in its events.
    public let name: String

    private let bucket: Locked<Bucket>
    /// The clock for the tokens that time adds; nil if only calls add tokens.
    private let clock: SpanClock?

    /// Creates a full budget, to which only calls add tokens.
    ///
    /// ``Limits`` describes `ratio` and `burst`. Limits that ``setLimits(_:)`` would reject, such as a ratio of 10 for
    /// 10 %, stop the process.
    public convenience init(ratio: Double, burst: Int = 10) {
        self.init(Limits(ratio: ratio, burst: burst), "budget", clock: nil)
    }

    /// Creates a full budget to which calls and time add tokens, so that a client with few calls can retry.
    ///
    /// See ``init(ratio:burst:)`` and ``Limits/perSecond``. The clock of `scheduler` measures the time.
    public convenience init(ratio: Double, burst: Int = 10, perSecond: Double, scheduler: any SchedulerType) {
        self.init(Limits(ratio: ratio, burst: burst, perSecond: perSecond), "budget", clock: SpanClock(scheduler))
    }

    /// Creates a budget with a `name` for events and errors. See ``init(ratio:burst:)``.
    public convenience init(_ name: String, ratio: Double, burst: Int = 10) {
        self.init(Limits(ratio: ratio, burst: burst), name, clock: nil)
    }

    /// Creates a budget with a `name` for events and errors. See ``init(ratio:burst:perSecond:scheduler:)``.
    public convenience init(
        _ name: String, ratio: Double, burst: Int = 10, perSecond: Double, scheduler: any SchedulerType
    ) {
        self.init(Limits(ratio: ratio, burst: burst, perSecond: perSecond), name, clock: SpanClock(scheduler))
    }

    private init(_ limits: Limits, _ name: String, clock: SpanClock?) {
        limits.problem?.stop("RetryBudget")
        self.name = name
        self.clock = clock
        bucket = Locked(Bucket(limits, at: clock?.now ?? 0))
        Resilience.list(self)
    }

    deinit { Resilience.unlist(self) }

    /// The present limits.
    public var limits: Limits { bucket.withLock { $0.limits } }

    /// Changes the limits. The bucket keeps its tokens, up to the new burst. Time before the change adds tokens at the
    /// old rate.
    ///
    /// - Throws: ``InvalidLimit`` for a ratio outside 0 to 1, a negative `burst` or `perSecond`, and a `perSecond`
    ///   above 0 if the budget has no scheduler.
    public func setLimits(_ limits: Limits) throws(InvalidLimit) {
        if let problem = limits.problem { throw problem.error("retry budget \(name)") }
        if clock == nil, limits.perSecond > 0 {
            throw LimitProblem(
                "A budget that was created without a scheduler gains no tokens with time", "perSecond",
                limits.perSecond, "tokens per second"
            ).error("retry budget \(name)")
        }
        let now = clock?.now
        bucket.withLock { bucket in
            _ = settled(&bucket, now)
            bucket.change(to: limits)
        }
    }

    /// The current number of tokens.
    public var balance: Double {
        let now = clock?.now
        return Double(bucket.withLock { settled(&$0, now) }) / Double(Self.token)
    }

    /// Records a call. The operators of this module do so; your own retries must call this function for each call.
    public func recordCall() {
        let now = clock?.now
        bucket.withLock { bucket in
            let content = settled(&bucket, now)
            bucket.content = content + min(bucket.deposit, bucket.capacity - content)
        }
    }

    /// Takes a token and returns true. If there is none, returns false, and the caller must not retry.
    public func takeRetry() -> Bool {
        let now = clock?.now
        let isTaken = bucket.withLock { bucket in
            let content = settled(&bucket, now)
            guard content >= Self.token else { return false }
            bucket.content = content - Self.token
            return true
        }
        Resilience.tell(.retryBudget, name, isTaken ? .tokenTaken : .tokenDenied)
        return isTaken
    }

    func giveBack() {
        bucket.withLock { $0.content += min(Self.token, $0.capacity - $0.content) }
    }

    /// Updates the content and returns it. A time before `bucket.last` adds nothing.
    private func settled(_ bucket: inout Bucket, _ now: Int?) -> Int {
        guard let now, now > bucket.last else { return bucket.content }
        let amount = Double(now.span(since: bucket.last)) * bucket.limits.perSecond + bucket.rest
        let brought = Self.within(bucket.capacity - bucket.content, amount)
        bucket.content += brought
        // The fraction is kept, so that several updates add the same number of tokens as one update.
        bucket.rest = bucket.content < bucket.capacity ? amount - Double(brought) : 0
        bucket.last = now
        return bucket.content
    }

    /// Limits an amount to 0...`most`; NaN becomes 0.
    private static func within(_ most: Int, _ amount: Double) -> Int {
        guard amount > 0 else { return 0 }
        return amount < Double(most) ? min(Int(amount), most) : most
    }
}

extension RetryBudget: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        snapshot.retryBudgets.append(Resilience.RetryBudgetState(name: name, limits: limits, tokens: balance))
    }
}
