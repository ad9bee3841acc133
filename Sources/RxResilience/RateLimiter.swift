public import Dispatch
public import RxSwift

/// Limits the number of calls that begin in a span of time. Other calls wait for their turn.
///
///     let mail = RateLimiter(100, per: .seconds(1), burst: 20, name: "mail")
///     let sent = client.send(message).limited(by: mail)
///     try await mail.run { try await client.send(message) }
///     let calm = readings.paced(by: RateLimiter(10, per: .seconds(1)))
///
/// The limiter is a bucket of `burst` permits, refilled evenly, one at a time. In any period, the number of calls that
/// begin exceeds what `limit` allows by at most `burst`. With a scheduler from outside the library, this bound is exact
/// only to one step of the scheduler's clock. A call is a subscription, or a `run`; its duration and its number of
/// elements do not matter. See <doc:RateLimiters>.
///
/// Any thread may use a limiter. Share one among all callers of a service.
public final class RateLimiter: Sendable {
    /// The limiter's name in ``RateLimitReached``.
    public let name: String

    let permits: PermitQueue<RateRule>

    /// Creates a limiter with a full bucket. If ``setLimits(_:)`` would reject the limits, the process stops.
    ///
    /// ``Limits`` describes `limit` (as `calls`), `span`, `burst` and `waiting`. `name` is the limiter's name in
    /// errors. `scheduler` measures the time, and starts waiting calls. On a scheduler with one thread, a call that
    /// starts slowly delays the next call.
    public init(
        _ limit: Int, per span: RxTimeInterval, burst: Int = 1, waiting: Int = .max, name: String = "limiter",
        scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
    ) {
        let limits = Limits(calls: limit, per: span, burst: burst, waiting: waiting)
        limits.problem?.stop("RateLimiter")
        self.name = name
        permits = PermitQueue(
            RateRule(name: name, limits), scheduler: scheduler, stopwatch: SpanClock(scheduler))
        Resilience.list(self)
    }

    deinit { Resilience.unlist(self) }

    /// The limits of a rate limiter.
    public struct Limits: Sendable, Equatable {
        /// The number of calls that may begin in a span, at least one.
        public var calls: Int

        /// The span, at least a nanosecond.
        public var span: RxTimeInterval

        /// The number of calls that may begin together after a time without calls, at least one. With 1, a late timer
        /// also delays the calls after it, so waiting calls begin at a rate slightly below the limit.
        public var burst: Int

        /// The number of calls that may wait, at least 0. Further calls fail with ``RateLimitReached``.
        public var waiting: Int

        /// Creates limits from `calls`, `span`, `burst` and `waiting`. ``RateLimiter/setLimits(_:)`` checks them.
        public init(calls: Int, per span: RxTimeInterval, burst: Int = 1, waiting: Int = .max) {
            self.calls = calls
            self.span = span
            self.burst = burst
            self.waiting = waiting
        }

        fileprivate var problem: LimitProblem? {
            if calls < 1 {
                LimitProblem("A limiter needs at least one permit", "limit", calls, "calls")
            } else if burst < 1 {
                LimitProblem("A limiter needs at least one permit", "burst", burst, "calls")
            } else if waiting < 0 {
                LimitProblem("A count can't be negative", "waiting", waiting, "calls")
            } else if span.nanosecondsInInt < 1 {
                LimitProblem("A limit needs a span longer than zero", "per", span, "")
            } else {
                nil
            }
        }

        /// The time between two calls in nanoseconds, rounded up, because the rate must not exceed the limit. `Int.max`
        /// for a span of `.never`.
        fileprivate var interval: Int {
            let nanoseconds = span.nanosecondsInInt
            return nanoseconds == .max ? .max : nanoseconds / calls + (nanoseconds % calls == 0 ? 0 : 1)
        }
    }

    /// The present limits.
    public var limits: Limits { permits.read(\.limits) }

    /// Changes the limits.
    ///
    ///     var limits = mail.limits
    ///     limits.calls = 50
    ///     try mail.setLimits(limits)
    ///
    /// - The bucket keeps its permits, up to the new burst, and fills at the new rate.
    /// - Waiting calls stay, in order, and begin at the new rate. The first of them may begin at once, on the
    ///   scheduler.
    /// - A shorter queue rejects new calls until there is room.
    ///
    /// - Throws: ``InvalidLimit`` if `calls` or `burst` is less than 1, `waiting` is negative, or `span` is less than a
    ///   nanosecond.
    public func setLimits(_ limits: Limits) throws(InvalidLimit) {
        if let problem = limits.problem { throw problem.error("rate limiter \(name)") }
        permits.change { rule, now in rule.change(to: limits, at: now) }
    }

    /// The number of waiting calls.
    public var waiting: Int { permits.waiting }

    /// Runs work when its turn has come, on the caller's actor (`isolation`). Waiting holds no thread.
    ///
    /// - Throws: ``RateLimitReached``; `CancellationError`, without using a permit, if the task is cancelled while it
    ///   waits; any error of `work`.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        try await permits.run(isolation: isolation, work)
    }
}

extension RateLimiter: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        let (rule, waiting, now) = permits.present
        snapshot.rateLimiters.append(
            Resilience.RateLimiterState(
                name: name, limits: rule.limits, permits: rule.permits(at: now), waiting: waiting))
    }
}

/// The error of a call that a ``RateLimiter`` with a full queue rejects.
public struct RateLimitReached: Error, Equatable, CustomStringConvertible {
    /// The limiter's name.
    public let name: String

    /// The number of waiting calls.
    public let waiting: Int

    /// The time until one more call could begin, after all waiting calls.
    public let retryAfter: RxTimeInterval

    /// Creates an error from `name`, `waiting` and `retryAfter`, for use in tests.
    public init(name: String, waiting: Int, retryAfter: RxTimeInterval) {
        self.name = name
        self.waiting = waiting
        self.retryAfter = retryAfter
    }

    /// The error as a sentence.
    public var description: String { "The queue of the limiter \(name) is full: \(waiting) waiting." }
}

/// The bucket of permits.
///
/// From `since` on, a permit is added after each `interval`, until there are `burst` permits. Once the bucket is full
/// again, time has replaced all permits that were taken before. From then on, these permits are not put back, even if
/// unused.
struct RateRule: PermitRule {
    static var kind: Resilience.Kind { .rateLimiter }

    let name: String
    private(set) var limits: RateLimiter.Limits
    private var interval: Int
    private var free: Int
    /// The time at which the last permit was added. For a full bucket, any time in the past.
    private var since = Int.min
    /// Counts the changes of the limits, and the permits that were taken from a full bucket.
    private var era = 0

    init(name: String, _ limits: RateLimiter.Limits) {
        self.name = name
        self.limits = limits
        interval = limits.interval
        free = limits.burst
    }

    private var burst: Int { limits.burst }

    func permits(at now: Int) -> Int {
        var rule = self
        rule.refill(at: now)
        return rule.free
    }

    mutating func change(to limits: RateLimiter.Limits, at now: Int) {
        refill(at: now)
        // At the new rate, the time before this change adds at most one permit, and none to a full bucket.
        let start = free == burst ? now : now.span(since: limits.interval)
        since = max(since, start)
        interval = limits.interval
        free = min(free, limits.burst)
        self.limits = limits
        // Permits that were taken before the change are not put back, because time may have replaced them.
        era += 1
    }

    private mutating func refill(at now: Int) {
        guard free < burst, now > since else { return }
        let come = min(now.span(since: since) / interval, burst - free)
        free += come
        since += come * interval
    }

    /// Returns the time at which a permit is free for a call behind `count` other calls; `Int.max` for never. The
    /// result does not depend on the current time, so the alarm keeps its timer while the bucket is unchanged.
    private func next(after count: Int) -> Int {
        let missing = count.advanced(bySaturating: 1).span(since: free)
        // If permits are left, `missing` is at most 0, and the result is in the past.
        let (wait, overflow) = interval.multipliedReportingOverflow(by: missing)
        if overflow || wait == .max { return missing > 0 ? .max : .min }
        let (moment, isBeyond) = since.addingReportingOverflow(wait)
        return isBeyond ? (wait > 0 ? .max : .min) : moment
    }

    mutating func take(at now: Int) -> Int? {
        refill(at: now)
        guard free > 0 else { return nil }
        if free == burst {
            era += 1
            since = max(since, now)
        }
        free -= 1
        return era
    }

    mutating func giveBack(of era: Int, unused: Bool) {
        if unused, era == self.era, free < burst { free += 1 }
    }

    func mayWait(_ count: Int) -> Bool {
        count < limits.waiting
    }

    func pause(at now: Int) -> Int? {
        next(after: 0).span(since: now)
    }

    func refusal(at now: Int, waiting count: Int) -> any Error {
        // If the timer is late, permits are due for the first waiting calls. `refill` adds them.
        var rule = self
        rule.refill(at: now)
        if rule.free == burst { rule.since = max(since, now) }
        let pause = rule.next(after: count).span(since: now)
        return RateLimitReached(name: name, waiting: count, retryAfter: .span(max(0, pause)))
    }
}

extension ObservableType {
    /// Subscribes to this sequence when the limiter lets one more call begin.
    ///
    ///     a:                      --1--|
    ///     b:                          --2--|
    ///     a.limited(by: limiter): --1--|
    ///     b.limited(by: limiter): ------2--|   one each 4 columns
    ///
    /// ![The second call begins when the rate allows it](marble-limited)
    ///
    /// Calls are limited, not elements. A subscription that need not wait begins on the subscribing thread. Waiting
    /// subscriptions begin on the limiter's scheduler, in order of arrival. A subscription that is disposed of while it
    /// waits uses no permit. If the queue is full, the sequence fails at once with ``RateLimitReached``. The source is
    /// torn down before its end is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain. During a pause, a waiting subscription still receives its
    /// permit; its source starts paused.
    public func limited(by limiter: RateLimiter) -> Observable<Element> {
        holdingPermit(of: limiter.permits)
    }

    /// Sends the elements no faster than the limiter allows.
    ///
    ///     source:             -(123)--4-|
    ///     paced(by: limiter): -1-2-3--4-|   one each 2 columns
    ///
    /// ![Elements wait until the rate allows them](marble-paced)
    ///
    /// Each element waits for a permit, and is then delivered in order, on the thread that sends it or on the limiter's
    /// scheduler. A completion is sent after the last element, an error at once. Waiting elements are buffered without
    /// bound, and released with the subscription. Only the first of them counts as a waiting call. It is enqueued even
    /// if the limiter's queue is full, so the sequence never fails with ``RateLimitReached``.
    ///
    /// Pausing: the source pauses when the number of waiting elements reaches the chain's bound.
    public func paced(by limiter: RateLimiter) -> Observable<Element> {
        concatMap { Observable.just($0).holdingPermit(of: limiter.permits, waitsAnyway: true) }
    }
}

extension PrimitiveSequence {
    /// Subscribes when the limiter lets one more call begin.
    ///
    /// See ``RxSwift/ObservableType/limited(by:)``.
    public func limited(by limiter: RateLimiter) -> PrimitiveSequence<Trait, Element> {
        holdingPermit(of: limiter.permits)
    }
}
