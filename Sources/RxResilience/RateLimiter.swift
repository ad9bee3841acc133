import Dispatch
import RxSwift

/// Lets so many calls begin in a span of time, and makes the others wait for their turn.
///
///     let mail = RateLimiter(100, per: .seconds(1), burst: 20, name: "mail")
///     let sent = client.send(message).limited(by: mail)
///     try await mail.run { try await client.send(message) }
///     let calm = readings.paced(by: RateLimiter(10, per: .seconds(1)))
///
/// It is a bucket of `burst` permits that is filled evenly, one permit at a time: within any span of time no more calls
/// begin than `limit` allows for it, and `burst` beside; on a scheduler that is none of the library's, give or take a
/// step of its clock. A call is a subscription, or a `run`; how many elements it sends and how long it lasts is of no
/// account. See <doc:RateLimiters>.
///
/// Any thread may use it. One limiter stands for one thing with a limit, and is shared by all its callers.
public final class RateLimiter: Sendable {
    /// What ``RateLimitReached`` calls it.
    public let name: String

    let turnstile: Turnstile<RateRule>

    /// Makes a limiter, with all the permits of a burst.
    ///
    /// - Parameters:
    ///   - limit: how many calls may begin in a span, at least one.
    ///   - span: the span, at least a nanosecond. Spans are exact to a nanosecond, and monotonic.
    ///   - burst: how many may begin at once after a rest, at least one. With one, a timer that is late is not made up
    ///     for, and the calls of a line come to a little less than the limit.
    ///   - waiting: how many may wait; those above it fail with ``RateLimitReached``.
    ///   - name: what its errors call it.
    ///   - scheduler: what measures the time, and where calls begin that have waited. On one with a single thread a
    ///     call that is long in beginning holds up the next.
    public init(
        _ limit: Int, per span: RxTimeInterval, burst: Int = 1, waiting: Int = .max, name: String = "limiter",
        scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
    ) {
        if limit < 1 {
            rxFatalError("A limiter needs a permit", operator: "RateLimiter", argument: "limit", value: limit)
        }
        if burst < 1 {
            rxFatalError("A limiter needs a permit", operator: "RateLimiter", argument: "burst", value: burst)
        }
        if waiting < 0 {
            rxFatalError("A count can't be negative", operator: "RateLimiter", argument: "waiting", value: waiting)
        }
        self.name = name
        let nanoseconds = span.nanosecondsInInt
        if nanoseconds < 1 {
            rxFatalError("A limit needs a span of time", operator: "RateLimiter", argument: "per", value: span)
        }
        // Rounded up, since down would be more than the limit.
        let interval = nanoseconds / limit + (nanoseconds % limit == 0 ? 0 : 1)
        turnstile = Turnstile(
            RateRule(name: name, interval: interval, burst: burst, waiting: waiting), scheduler: scheduler)
    }

    /// How many calls wait.
    public var waiting: Int { turnstile.waiting }

    /// Does work when its turn has come.
    ///
    /// It waits without holding a thread, and the work runs where the caller is. Cancelled while it waits, the task
    /// leaves the line, the work is not begun, and no permit is used up.
    ///
    /// - Parameters:
    ///   - isolation: the caller's actor, by default.
    ///   - work: the work.
    /// - Returns: what the work returns.
    /// - Throws: ``RateLimitReached``, `CancellationError` where the task was cancelled while it waited, and what the
    ///   work throws.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        try await turnstile.run(isolation: isolation, work)
    }
}

/// Nobody may wait any more: the line of a ``RateLimiter`` is as long as it may be.
public struct RateLimitReached: Error, Equatable, CustomStringConvertible {
    /// The limiter.
    public let name: String

    /// How many calls wait.
    public let waiting: Int

    /// How long it takes until they have begun, and one more could.
    public let retryAfter: RxTimeInterval

    /// Makes one, as tests do.
    ///
    /// - Parameters:
    ///   - name: the limiter's.
    ///   - waiting: how many calls wait.
    ///   - retryAfter: how long it takes until they have begun.
    public init(name: String, waiting: Int, retryAfter: RxTimeInterval) {
        self.name = name
        self.waiting = waiting
        self.retryAfter = retryAfter
    }

    /// The error as a sentence.
    public var description: String { "The limiter \(name) is reached: \(waiting) calls wait." }
}

/// The bucket: how many permits are in it, and since when the next one is due.
///
/// A permit comes in after each `interval` from `since` on, until there are `burst`. A bucket that is full takes in
/// nothing more: permits that were taken before it was full have been made up for, and do not come back. The moment of
/// the next permit needs no product of the interval and the burst, so a large burst does not bound the interval.
struct RateRule: PermitRule {
    let name: String
    let interval: Int
    let burst: Int
    let waiting: Int
    /// The number of permits in the bucket at `since`.
    private var free: Int
    /// The moment at which the last permit came in; of a full bucket, any moment since it is full.
    private var since = Int.min
    /// The number of times that a permit was taken out of a full bucket.
    private var era = 0

    init(name: String, interval: Int, burst: Int, waiting: Int) {
        self.name = name
        self.interval = interval
        self.burst = burst
        self.waiting = waiting
        free = burst
    }

    /// Takes in the permits that have come up to a moment.
    private mutating func refill(at now: Int) {
        guard free < burst, now > since else { return }
        let come = min(now.span(since: since) / interval, burst - free)
        free += come
        since += come * interval
    }

    /// The moment at which there is a permit that `count` others do not take.
    private func next(after count: Int) -> Int {
        let missing = count.advanced(bySaturating: 1).span(since: free)
        // Also of permits that have been there before: as long as the bucket stays as it is, so does the moment.
        let (wait, overflow) = interval.multipliedReportingOverflow(by: missing)
        if overflow { return missing > 0 ? .max : .min }
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
        count < waiting
    }

    func pause(at now: Int) -> Int? {
        next(after: 0).span(since: now)
    }

    func refusal(at now: Int, waiting count: Int) -> any Error {
        // The permits that have come belong to the first in line, also if the line's timer is late.
        var rule = self
        rule.refill(at: now)
        if rule.free == burst { rule.since = max(since, now) }
        let pause = rule.next(after: count).span(since: now)
        return RateLimitReached(name: name, waiting: count, retryAfter: .span(max(0, pause)))
    }
}

extension ObservableType {
    /// This sequence, subscribed to when the limiter lets one more call begin.
    ///
    ///     a:                      --1--|
    ///     b:                          --2--|
    ///     a.limited(by: limiter): --1--|
    ///     b.limited(by: limiter): ------2--|   one each 4 columns
    ///
    /// ![The second call begins when the rate allows it](marble-limited)
    ///
    /// Calls are limited, not elements, which are passed on as they come. A subscription that needs not wait begins on
    /// the subscribing thread, the others on the limiter's scheduler, in the order of coming. Disposed of while it
    /// waits, it never subscribes to the source and uses no permit up. Where nobody may wait any more the sequence
    /// fails at once with ``RateLimitReached``. The source is torn down before its end is passed on; one that ends on
    /// the thread that is subscribing to it, and its end, when it has been subscribed to.
    ///
    /// Pausing: the source pauses with what is below. What waits for its permit gets it meanwhile, too, and is paused
    /// from its start.
    ///
    /// - Parameter limiter: what lets it begin.
    public func limited(by limiter: RateLimiter) -> Observable<Element> {
        holdingPermit(of: limiter.turnstile)
    }

    /// The elements, no faster than the limiter allows.
    ///
    ///     source:             -(123)--4-|
    ///     paced(by: limiter): -1-2-3--4-|   one each 2 columns
    ///
    /// ![Elements wait until the rate allows them](marble-paced)
    ///
    /// Each element takes a permit, and is delivered when it has one: on the thread that sends it, or on the limiter's
    /// scheduler. Order is kept, and the end comes after the last element, but an error at once. What waits is buffered
    /// without bound, and let go with the subscription; only the first in line waits at the limiter, so a limiter can
    /// be shared by several sequences, and by calls. The first element waits even if the limiter's line is full: no
    /// element fails with ``RateLimitReached``. It counts as one call that waits.
    ///
    /// Pausing: the source pauses once as many elements wait for a permit as the chain's bound allows.
    ///
    /// - Parameter limiter: what gives the permits.
    public func paced(by limiter: RateLimiter) -> Observable<Element> {
        concatMap { Observable.just($0).holdingPermit(of: limiter.turnstile, waitsAnyway: true) }
    }
}

extension PrimitiveSequence {
    /// This single, maybe or completable, subscribed to when the limiter lets one more call begin.
    ///
    /// As ``RxSwift/ObservableType/limited(by:)``.
    ///
    /// - Parameter limiter: what lets it begin.
    public func limited(by limiter: RateLimiter) -> PrimitiveSequence<Trait, Element> {
        holdingPermit(of: limiter.turnstile)
    }
}
