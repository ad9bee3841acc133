import Dispatch
import RxSwift

/// Stops calling what fails: calls then fail at once, until a few trials have shown that it is well again.
///
///     let payments = CircuitBreaker("payments", window: .span(.seconds(10)), minimumCalls: 20, openFor: .seconds(30))
///     let receipt = client.charge(order).guarded(by: payments)
///     let refund = try await payments.run { try await client.refund(order) }
///
/// *Closed*, it lets all calls through and looks back at the last of them. When too many of these failed, or were slow,
/// it is *open* and refuses all with ``CircuitOpen``. The first call that comes when it has been open for long enough
/// makes it *half open*: it lets so many trials through and refuses the others. When all trials have ended it is
/// closed, or open again, by the same rates. See <doc:CircuitBreakers>.
///
/// A call that is disposed of, or whose task is cancelled, is neither a success nor a failure: a trial is given back
/// for the next call. A call counts only while the state lasts in which it was let in.
///
/// Any thread may use it. One breaker stands for one thing that is called, and is shared by all its callers.
// @unchecked Sendable because `guarded` has its lock, and the rest never changes; `scheduler` is only asked for the
// time, by any thread.
public final class CircuitBreaker: @unchecked Sendable {
    /// What a breaker does with calls.
    public enum State: Sendable, Hashable {
        /// All calls are let through.
        case closed

        /// All calls are refused, until the first after a while.
        case open

        /// A few calls are let through, to see what becomes of them.
        case halfOpen

        /// All calls are refused until it is told otherwise.
        case forcedOpen

        /// All calls are let through and none is counted, until it is told otherwise.
        case disabled
    }

    /// Which calls a closed breaker looks back at.
    public enum Window: Sendable {
        /// So many of those that ended last, at least one.
        case calls(Int)

        /// Those that ended within a span of time. It is moved on by a tenth of the span at a time.
        case span(RxTimeInterval)
    }

    /// What an error means for the breaker.
    public enum Verdict: Sendable, Hashable {
        /// What is called is well: the error is an answer, as "there is no such user" is.
        case success

        /// What is called is not well.
        case failure

        /// It says nothing of what is called; a trial is given back.
        case ignored
    }

    /// Guards: the lock has the machine, the stage of each claim, and what is to be told.
    private struct Guarded {
        var machine: BreakerMachine
        /// Changes that are not told yet, in their order; one thread tells them.
        var news: [State] = []
        var isTelling = false
    }

    /// What ``CircuitOpen`` calls it.
    public let name: String

    private let guarded: Locked<Guarded>
    private let told = BehaviorSubject(value: State.closed)
    private let slowAfter: Int
    private let judging: @Sendable (any Error) -> Verdict
    private let clock: SpanClock
    private let origin: Int

    /// Makes a closed breaker.
    ///
    /// A rate is a part of the calls, above 0 and up to 1: 0.5 is half of them. The breaker opens when a rate is
    /// reached. The process stops, with words, for a rate outside of these bounds, as 50 for a percentage, and for a
    /// limit that no call could ever reach: a window without a call or without time, or `minimumCalls` that the window
    /// cannot hold.
    ///
    /// - Parameters:
    ///   - name: what its errors call it.
    ///   - window: the calls that it looks back at while it is closed.
    ///   - minimumCalls: the number of calls that there must be in the window before the breaker opens, at most the
    ///     size of a window of calls. Unless given, it is 100, and in a window of fewer calls the size of the window.
    ///   - failureRate: the part of calls that failed at which it opens, above 0 and up to 1.
    ///   - slowRate: the part of calls that were slow at which it opens, above 0 and up to 1, whether these calls
    ///     succeeded or failed.
    ///   - slowAfter: a call that lasts longer, from subscription to end, is slow; with `.never` no call is.
    ///   - openFor: how long it refuses all calls.
    ///   - trials: how many calls it lets through while it is half open, at least one.
    ///   - scheduler: what measures the time. Nothing is scheduled on it.
    ///   - judging: what an error means. Unless it says otherwise, ``BulkheadFull``, ``RateLimitReached`` and another
    ///     breaker's ``CircuitOpen`` are ignored, for the call was not made; every other error is a failure. Called on
    ///     the thread that delivers the error.
    public init(
        _ name: String, window: Window = .calls(100), minimumCalls: Int? = nil, failureRate: Double = 0.5,
        slowRate: Double = 1, slowAfter: RxTimeInterval = .seconds(60), openFor: RxTimeInterval = .seconds(60),
        trials: Int = 10, scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
        judging: @escaping @Sendable (any Error) -> Verdict = {
            $0 is BulkheadFull || $0 is RateLimitReached || $0 is CircuitOpen ? .ignored : .failure
        }
    ) {
        if case .calls(let size) = window, size < 1 {
            rxFatalError("A window needs a call", operator: "CircuitBreaker", argument: "window", value: size)
        }
        if trials < 1 {
            rxFatalError("A breaker needs a trial", operator: "CircuitBreaker", argument: "trials", value: trials)
        }
        if case .span(let span) = window, span.nanosecondsInInt < 1 {
            rxFatalError("A window needs a span of time", operator: "CircuitBreaker", argument: "window", value: span)
        }
        if let minimumCalls, minimumCalls < 0 {
            rxFatalError(
                "A count can't be negative", operator: "CircuitBreaker", argument: "minimumCalls", value: minimumCalls)
        }
        if let minimumCalls, case .calls(let size) = window, minimumCalls > size {
            rxFatalError(
                "A window of \(size) calls never holds as many calls as the breaker needs before it opens",
                operator: "CircuitBreaker", argument: "minimumCalls", value: minimumCalls)
        }
        Self.check(rate: failureRate, "failureRate")
        Self.check(rate: slowRate, "slowRate")
        self.name = name
        self.slowAfter = slowAfter.nanosecondsInInt
        self.judging = judging
        clock = SpanClock(scheduler)
        origin = clock.now
        guarded = Locked(
            Guarded(
                machine: BreakerMachine(
                    BreakerMachine.Rules(
                        window: window, minimumCalls: minimumCalls ?? 100, failureRate: failureRate, slowRate: slowRate,
                        openFor: openFor.nanosecondsInInt, trials: trials))))
    }

    /// Stops the process if a rate is not a part of all calls. NaN is not one either.
    private static func check(rate: Double, _ argument: StaticString) {
        if !(rate > 0 && rate <= 1) {
            rxFatalError(
                "A rate is a part of the calls, above 0 and up to 1: 0.5 is half of them", operator: "CircuitBreaker",
                argument: argument, value: rate)
        }
    }

    /// The state. One that has been open for long enough is open until the next call.
    public var state: State { guarded.withLock { $0.machine.state } }

    /// The state, and then each change, in order.
    ///
    /// A change is told on the thread whose call made it, or by another one that is still telling the change before; no
    /// lock is held meanwhile. It never ends.
    public var states: Observable<State> { told.asObservable() }

    /// Refuses all calls from now on.
    public func forceOpen() { enter(.forcedOpen) }

    /// Lets all calls through from now on, and counts none.
    public func disable() { enter(.disabled) }

    /// Closes, and begins to count anew.
    public func reset() { enter(.closed) }

    /// Does work, if the breaker lets it.
    ///
    /// The work runs where the caller is. What it throws once its task is cancelled counts for nothing.
    ///
    /// - Parameters:
    ///   - isolation: the caller's actor, by default.
    ///   - work: the work.
    /// - Returns: what the work returns.
    /// - Throws: ``CircuitOpen``, `CancellationError` where the task was cancelled before the work began, and what the
    ///   work throws.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        try await (self as any PermitKeeper).run(isolation: isolation, work)
    }

    private func enter(_ state: State) {
        let now = now
        change { $0.enter(state, at: now) }
    }

    /// Changes something under the lock, and tells the state if that has changed it.
    private func change<Result>(_ body: (inout BreakerMachine) -> Result) -> Result {
        let (result, isTeller) = guarded.withLock { guarded in
            let before = guarded.machine.state
            let result = body(&guarded.machine)
            guard guarded.machine.state != before else { return (result, false) }
            guarded.news.append(guarded.machine.state)
            defer { guarded.isTelling = true }
            return (result, !guarded.isTelling)
        }
        if isTeller { tell() }
        return result
    }

    private func tell() {
        while let state = guarded.withLock({ guarded -> State? in
            guard guarded.news.isEmpty else { return guarded.news.removeFirst() }
            guarded.isTelling = false
            return nil
        }) {
            told.onNext(state)
        }
    }

    private var now: Int { clock.now.span(since: origin) }
}

extension CircuitBreaker: PermitKeeper {
    func submit(_ claim: Claim) {
        let now = now
        let (answer, state) = change { machine -> (BreakerMachine.Answer?, State) in
            guard claim.stage == .fresh else { return (nil, machine.state) }
            let answer = machine.admit(at: now)
            claim.stage = answer == .admitted ? .running : .over
            claim.era = machine.era
            claim.begun = now
            return (answer, machine.state)
        }
        switch answer {
        case .admitted: _ = claim.start()
        case .refused(let pause):
            claim.refuse(CircuitOpen(name: name, state: state, retryAfter: pause.map { .span($0) }))
        case nil: claim.hasLeft()
        }
    }

    func settle(_ claim: Claim, _ ending: Ending, passOn: () -> Void) {
        let failed: Bool? =
            switch ending {
            case .completed: false
            case .disposed, .unused: nil
            case .failed(let error):
                switch judging(error) {
                case .success: false
                case .failure: true
                case .ignored: nil
                }
            }
        let now = now
        change { machine in
            guard claim.stage == .running else { return }
            claim.stage = .over
            machine.end(of: claim.era, failed: failed, slow: now.span(since: claim.begun) > slowAfter, at: now)
        }
        passOn()
    }

    func withdraw(_ claim: Claim) {
        guarded.withLock { _ in
            if claim.stage == .fresh { claim.stage = .over }
        }
    }
}

/// A ``CircuitBreaker`` did not let a call through.
public struct CircuitOpen: Error, Equatable, CustomStringConvertible {
    /// The breaker.
    public let name: String

    /// Its state: open, forced open, or half open with all trials under way.
    public let state: CircuitBreaker.State

    /// How long the breaker stays open; nil where that is not a matter of time.
    public let retryAfter: RxTimeInterval?

    /// Makes one, as tests do.
    ///
    /// - Parameters:
    ///   - name: the breaker's.
    ///   - state: what it is in.
    ///   - retryAfter: how long it stays open; nil where that is not a matter of time.
    public init(name: String, state: CircuitBreaker.State, retryAfter: RxTimeInterval?) {
        self.name = name
        self.state = state
        self.retryAfter = retryAfter
    }

    /// The error as a sentence.
    public var description: String { "The circuit breaker \(name) lets no call through: it is \(state)." }
}

extension ObservableType {
    /// This sequence, subscribed to only if the breaker lets the call through.
    ///
    ///     source:                              --#
    ///     guarded(by: breaker):                --#
    ///     guarded(by: breaker), the next call: ---(^#)   one failure opens it
    ///
    /// ![After a failure the next call fails at once](marble-guarded)
    ///
    /// A completion is a success, an error what the breaker judges it to be, and a disposal neither. It is counted when
    /// the source is torn down, before it is passed on; of a source that ends on the thread that is subscribing to it,
    /// when it has been subscribed to. Refused, the sequence fails at once with ``CircuitOpen``. The source is
    /// subscribed to on the subscribing thread, and elements are passed on as they come; nothing is buffered.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameter breaker: what lets it through, and counts what becomes of it.
    public func guarded(by breaker: CircuitBreaker) -> Observable<Element> {
        holdingPermit(of: breaker)
    }
}

extension PrimitiveSequence {
    /// This single, maybe or completable, subscribed to only if the breaker lets the call through.
    ///
    /// As ``RxSwift/ObservableType/guarded(by:)``, but that the call is counted before the element is passed on.
    ///
    /// - Parameter breaker: what lets it through, and counts what becomes of it.
    public func guarded(by breaker: CircuitBreaker) -> PrimitiveSequence<Trait, Element> {
        holdingPermit(of: breaker)
    }
}
