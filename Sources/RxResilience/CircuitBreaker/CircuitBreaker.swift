import Dispatch
import RxSwift

/// Rejects calls to a failing service at once, until a few trial calls have succeeded.
///
///     let payments = CircuitBreaker("payments", window: .span(.seconds(10)), minimumCalls: 20, openFor: .seconds(30))
///     let receipt = client.charge(order).guarded(by: payments)
///     let refund = try await payments.run { try await client.refund(order) }
///
/// While *closed*, the breaker admits all calls and records the latest ones. If too many of these failed or were slow,
/// it *opens* and rejects all calls with ``CircuitOpen``. After `openFor`, the next call makes the breaker *half open*:
/// it admits `trials` calls and rejects all others. When all trials have ended, the breaker opens again if too many of
/// them failed or were slow, and closes otherwise. See <doc:CircuitBreakers>.
///
/// Some calls do not count: those that are disposed of or cancelled, those with an ignored error, and those admitted
/// before the last change of state or ``reset()``. If a trial does not count, the breaker admits another one.
///
/// Any thread may use a breaker. Share one among all callers of a service.
// @unchecked Sendable because `guarded` has a lock, the other properties never change, and any thread may read `clock`.
public final class CircuitBreaker: @unchecked Sendable {
    /// How a breaker treats calls.
    public enum State: Sendable, Hashable {
        /// All calls are admitted.
        case closed

        /// All calls are rejected. The first call after `openFor` makes the breaker half open.
        case open

        /// A few trial calls are admitted.
        case halfOpen

        /// All calls are rejected until ``CircuitBreaker/reset()`` or ``CircuitBreaker/disable()``.
        case forcedOpen

        /// All calls are admitted, and none is counted, until ``CircuitBreaker/reset()`` or
        /// ``CircuitBreaker/forceOpen()``.
        case disabled
    }

    /// The recent calls that are counted while the breaker is closed.
    public enum Window: Sendable, Equatable {
        /// The calls that ended last. Their number must be at least 1.
        case calls(Int)

        /// The calls that ended within a span of time. The window moves in tenths of the span.
        case span(RxTimeInterval)
    }

    /// The meaning of an error for the breaker.
    public enum Verdict: Sendable, Hashable {
        /// The service works: the error is an answer, such as "no such user".
        case success

        /// The service does not work.
        case failure

        /// The error does not show whether the service works.
        case ignored
    }

    /// Guards: the lock of `guarded` protects this state and the stages of all requests.
    private struct Guarded {
        var machine: BreakerMachine
        /// Unsent state changes. While `isTelling` is true, one thread sends them.
        var news: [State] = []
        var isTelling = false
    }

    /// The breaker's name in ``CircuitOpen``.
    public let name: String

    private let guarded: Locked<Guarded>
    private let told = BehaviorSubject(value: State.closed)
    private let judging: @Sendable (any Error) -> Verdict
    private let clock: SpanClock
    private let origin: Int

    /// Creates a closed breaker. If ``setLimits(_:)`` would reject the limits, the process stops.
    ///
    /// ``Limits`` describes `window`, `minimumCalls`, `failureRate`, `slowRate`, `slowAfter`, `openFor` and `trials`.
    /// `name` is the breaker's name in errors. `scheduler` provides the clock; nothing is scheduled on it. `judging`
    /// is called on the thread that sends or throws an error, and returns the error's meaning. By default,
    /// ``BulkheadFull``, ``RateLimitReached`` and ``CircuitOpen`` are ignored, and every other error is a failure.
    public init(
        _ name: String, window: Window = .calls(100), minimumCalls: Int? = nil, failureRate: Double = 0.5,
        slowRate: Double = 1, slowAfter: RxTimeInterval = .seconds(60), openFor: RxTimeInterval = .seconds(60),
        trials: Int = 10, scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
        judging: @escaping @Sendable (any Error) -> Verdict = {
            $0 is BulkheadFull || $0 is RateLimitReached || $0 is CircuitOpen ? .ignored : .failure
        }
    ) {
        var limits = Limits()
        limits.window = window
        limits.minimumCalls = minimumCalls
        limits.failureRate = failureRate
        limits.slowRate = slowRate
        limits.slowAfter = slowAfter
        limits.openFor = openFor
        limits.trials = trials
        limits.problem?.stop("CircuitBreaker")
        self.name = name
        self.judging = judging
        clock = SpanClock(scheduler)
        origin = clock.now
        guarded = Locked(Guarded(machine: BreakerMachine(limits)))
        Resilience.list(self)
    }

    deinit { Resilience.unlist(self) }

    /// The limits of a breaker.
    ///
    /// A rate is a share of the calls, above 0 and up to 1. The breaker opens when a rate is reached.
    public struct Limits: Sendable, Equatable {
        /// The recent calls that are counted while the breaker is closed.
        public var window = Window.calls(100)

        /// A closed breaker opens only if its window contains at least this number of calls. Nil means 100; if `window`
        /// is a smaller number of calls, nil means that number.
        public var minimumCalls: Int?

        /// The rate of failed calls.
        public var failureRate = 0.5

        /// The rate of slow calls, successful or not.
        public var slowRate = 1.0

        /// The duration, from subscription to end, above which a call is slow.
        public var slowAfter = RxTimeInterval.seconds(60)

        /// How long an open breaker rejects all calls.
        public var openFor = RxTimeInterval.seconds(60)

        /// The number of calls that a half-open breaker admits, at least one.
        public var trials = 10

        /// Creates the default limits.
        public init() {}

        fileprivate var problem: LimitProblem? {
            if case .calls(let size) = window, size < 1 {
                return LimitProblem("A window needs at least one call", "window", size, "calls")
            }
            if trials < 1 {
                return LimitProblem("A breaker needs at least one trial", "trials", trials, "calls")
            }
            if case .span(let span) = window, span.nanosecondsInInt < 1 {
                return LimitProblem("A window needs a span longer than zero", "window", span, "")
            }
            if let minimumCalls, minimumCalls < 0 {
                return LimitProblem("A count can't be negative", "minimumCalls", minimumCalls, "calls")
            }
            if let minimumCalls, case .calls(let size) = window, minimumCalls > size {
                return LimitProblem(
                    "A window of \(size) calls never holds as many calls as the breaker needs before it opens",
                    "minimumCalls", minimumCalls, "calls")
            }
            return Self.problem(ofRate: failureRate, "failureRate") ?? Self.problem(ofRate: slowRate, "slowRate")
        }

        private static func problem(ofRate rate: Double, _ argument: StaticString) -> LimitProblem? {
            rate > 0 && rate <= 1
                ? nil
                : LimitProblem(
                    "A rate is a share of the calls, above 0 and up to 1: 0.5 is half of them", argument, rate,
                    "of the calls")
        }
    }

    /// The present limits.
    public var limits: Limits { guarded.withLock { $0.machine.rules } }

    /// Changes the limits while the breaker is in use.
    ///
    ///     var limits = payments.limits
    ///     limits.openFor = .seconds(10)
    ///     try payments.setLimits(limits)
    ///
    /// The state and the counts stay. If `window` changes, the new window begins empty. The new limits apply as
    /// follows:
    /// - Closed: when the next call ends, the counts are compared with the new rates.
    /// - Open: `openFor` applies from the moment at which the breaker opened.
    /// - Half open: if at least `trials` trials have been counted, the breaker closes or opens before this function
    ///   returns.
    ///
    /// A running call is judged by the limits that apply when it ends.
    ///
    /// - Throws: ``InvalidLimit`` for a rate outside its range, an empty window, less than one trial, or a
    ///   `minimumCalls` that is negative or greater than the window's size.
    public func setLimits(_ limits: Limits) throws(InvalidLimit) {
        if let problem = limits.problem { throw problem.error("circuit breaker \(name)") }
        let now = now
        change { $0.change(to: limits, at: now) }
    }

    /// The current state. An open breaker remains open after `openFor`, until the next call.
    public var state: State { guarded.withLock { $0.machine.state } }

    /// The current state, and then each change, in order.
    ///
    /// A change is sent on the thread that caused it, or on a thread that is still sending an earlier change. The
    /// sequence never ends.
    public var states: Observable<State> { told.asObservable() }

    /// Rejects all calls.
    public func forceOpen() { enter(.forcedOpen) }

    /// Admits all calls, and counts none.
    public func disable() { enter(.disabled) }

    /// Closes the breaker and clears its counts.
    public func reset() { enter(.closed) }

    /// Runs work if the breaker admits it.
    ///
    /// `work` runs on the caller's actor (`isolation`). If it throws after its task was cancelled, the call does not
    /// count.
    ///
    /// - Throws: ``CircuitOpen``; `CancellationError` if the task was cancelled before `work` began; any error of
    ///   `work`.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        try await (self as any PermitKeeper).run(isolation: isolation, work)
    }

    private func enter(_ state: State) {
        let now = now
        change { $0.enter(state, at: now) }
    }

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
            Resilience.tell(.circuitBreaker, name, .changed(state))
            told.onNext(state)
        }
    }

    private var now: Int { clock.now.span(since: origin) }
}

extension CircuitBreaker: PermitKeeper {
    func submit(_ request: PermitRequest) {
        let now = now
        let (answer, state) = change { machine -> (BreakerMachine.Answer?, State) in
            guard request.stage == .fresh else { return (nil, machine.state) }
            let answer = machine.admit(at: now)
            request.stage = answer == .admitted ? .running : .over
            request.era = machine.era
            request.begun = now
            return (answer, machine.state)
        }
        switch answer {
        case .admitted: _ = request.start()
        case .refused(let pause):
            Resilience.tell(.circuitBreaker, name, .rejected)
            request.refuse(CircuitOpen(name: name, state: state, retryAfter: pause.map { .span($0) }))
        case nil: request.hasLeft()
        }
    }

    func settle(_ request: PermitRequest, _ ending: Ending, passOn: () -> Void) {
        let outcome: Resilience.Outcome =
            switch ending {
            case .completed: .success
            case .disposed, .unused: .cancelled
            case .failed(let error):
                switch judging(error) {
                case .success: .success
                case .failure: .failure
                case .ignored: .ignored
                }
            }
        let failed: Bool? =
            switch outcome {
            case .success: false
            case .failure: true
            case .ignored, .cancelled: nil
            }
        let now = now
        let isSlow: Bool? = change { machine in
            guard request.stage == .running else { return nil }
            request.stage = .over
            let isSlow = now.span(since: request.begun) > machine.slowAfter
            machine.end(of: request.era, failed: failed, slow: isSlow, at: now)
            return isSlow
        }
        if Resilience.isObserved, let isSlow {
            let took = RxTimeInterval.nanoseconds(max(0, now.span(since: request.begun)))
            Resilience.tell(.circuitBreaker, name, .called(outcome, isSlow: isSlow, took: took))
        }
        passOn()
    }

    func withdraw(_ request: PermitRequest) {
        guarded.withLock { _ in
            if request.stage == .fresh { request.stage = .over }
        }
    }
}

extension CircuitBreaker: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        let now = now
        let (state, tally) = guarded.withLock { ($0.machine.state, $0.machine.tally(at: now)) }
        snapshot.circuitBreakers.append(
            Resilience.CircuitBreakerState(
                name: name, state: state, calls: tally.calls, failed: tally.failed, slow: tally.slow))
    }
}

/// The error for a call that a ``CircuitBreaker`` rejects.
public struct CircuitOpen: Error, Equatable, CustomStringConvertible {
    /// The breaker's name.
    public let name: String

    /// The breaker's state: open, forced open, or half open after all trials have begun.
    public let state: CircuitBreaker.State

    /// The time until an open breaker admits a call; nil in the other states.
    public let retryAfter: RxTimeInterval?

    /// Creates an error from `name`, `state` and `retryAfter`, for use in tests.
    public init(name: String, state: CircuitBreaker.State, retryAfter: RxTimeInterval?) {
        self.name = name
        self.state = state
        self.retryAfter = retryAfter
    }

    /// The error as a sentence.
    public var description: String { "The circuit breaker \(name) rejects the call: it is \(state)." }
}

extension ObservableType {
    /// Subscribes to this sequence only if the breaker admits the call.
    ///
    ///     source:                              --#
    ///     guarded(by: breaker):                --#
    ///     guarded(by: breaker), the next call: ---(^#)   one failure opens it
    ///
    /// ![After a failure the next call fails at once](marble-guarded)
    ///
    /// A completion is a success. For an error, the breaker calls its `judging` closure. A disposal does not count. The
    /// call is counted before its end is passed on. A rejected call fails at once with ``CircuitOpen``, on the
    /// subscribing thread. No element is buffered.
    ///
    /// Pausing: the source pauses with the downstream chain.
    public func guarded(by breaker: CircuitBreaker) -> Observable<Element> {
        holdingPermit(of: breaker)
    }
}

extension PrimitiveSequence {
    /// Subscribes to this single, maybe or completable only if the breaker admits the call.
    ///
    /// Like ``RxSwift/ObservableType/guarded(by:)``, except that the call is counted before the element is passed on.
    public func guarded(by breaker: CircuitBreaker) -> PrimitiveSequence<Trait, Element> {
        holdingPermit(of: breaker)
    }
}
