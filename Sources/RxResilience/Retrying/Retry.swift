public import RxSwift

extension ObservableType {
    /// Subscribes again when this sequence fails, as a policy says and as long as a budget allows.
    ///
    ///     source:                                --1--# --1--#   --1--#
    ///     retry(...), pauses of 2 and 4 columns: --1------1--------1--#
    ///
    /// ![The source once more after growing pauses](marble-retry-policy)
    ///
    ///     charge.retry(
    ///         .exponential(from: .milliseconds(50), limit: .seconds(2)), budget: payments, if: { $0 is Unavailable },
    ///         scheduler: scheduler)
    ///
    /// The error of an attempt ends the result where it was the last attempt, where `condition` says so, where the
    /// error itself does (``RetryAfter``), where the pause would outlast the ``Deadline`` of the subscription, and
    /// where the budget is empty; a token is taken only when nothing else speaks against the retry.
    ///
    /// The first attempt is subscribed to by who subscribes, the others on `scheduler` after their pauses, and without
    /// a pause at once, where the error comes; all under the deadline of the subscription. A failed attempt is disposed
    /// of before its pause; disposing of the result ends a pause at once. Elements are passed on as they come and not
    /// held back: those of a failed attempt have been delivered. There is no nesting: a million attempts cost no more
    /// memory than two.
    ///
    /// - Parameters:
    ///   - policy: how often, and how long the pauses are.
    ///   - budget: what this call and others together may spend on retries.
    ///   - condition: called with an error after which there may be another attempt, on the thread that delivers it;
    ///     `false` lets the error pass.
    ///   - scheduler: where pauses are waited for.
    ///   - generator: the source of the jitter. Each subscription begins with a copy of it, so that one with a fixed
    ///     seed makes the same pauses each time. The system's generator by default; on a scheduler of virtual time one
    ///     with a fixed seed for each subscription, so that each run of a test makes the same pauses.
    public func retry<Generator: RandomNumberGenerator & Sendable>(
        _ policy: RetryPolicy, budget: RetryBudget? = nil,
        if condition: @escaping @Sendable (any Error) -> Bool = { _ in true },
        scheduler: any SchedulerType, using generator: Generator = SystemRandomNumberGenerator()
    ) -> Observable<Element> {
        let source = asObservable()
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        return .deferred {
            let deadline = Deadline.current
            budget?.recordCall()
            return source.subscribedLater().retry(when: { (errors: Observable<any Error>) in
                // The errors come one at a time.
                nonisolated(unsafe) var decision = RetryDecision(
                    policy, budget, deadline, RetryChance(generator, scheduler))
                return errors.flatMap { error in
                    guard let pause = decision.pause(after: error, if: condition) else { throw error }
                    return pause > 0
                        ? Observable<Int>.timer(.nanoseconds(pause), scheduler: scheduler) : Observable.just(0)
                }
            })
        }
    }
}

extension PrimitiveSequence {
    /// Subscribes again when this sequence fails, as a policy says and as long as a budget allows.
    ///
    /// As ``RxSwift/ObservableType/retry(_:budget:if:scheduler:using:)``.
    ///
    /// - Parameters:
    ///   - policy: how often, and how long the pauses are.
    ///   - budget: what this call and others together may spend on retries.
    ///   - condition: called with an error after which there may be another attempt; `false` lets the error pass.
    ///   - scheduler: where pauses are waited for.
    ///   - generator: the source of the jitter; each subscription begins with a copy of it.
    public func retry<Generator: RandomNumberGenerator & Sendable>(
        _ policy: RetryPolicy, budget: RetryBudget? = nil,
        if condition: @escaping @Sendable (any Error) -> Bool = { _ in true },
        scheduler: any SchedulerType, using generator: Generator = SystemRandomNumberGenerator()
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: asObservable().retry(policy, budget: budget, if: condition, scheduler: scheduler, using: generator))
    }
}

/// The generator of one call: the one that is given, or, if that is the system's and the scheduler's time is virtual,
/// one that the scheduler makes.
struct RetryChance<Base: RandomNumberGenerator>: RandomNumberGenerator {
    private var base: Base
    private var repeatable: SeededRandom?
    /// Asked for a generator with the first number, so that a call that does not fail costs nothing more.
    private var scheduler: (any SchedulerType)?

    init(_ base: Base, _ scheduler: any SchedulerType) {
        self.base = base
        self.scheduler = Base.self == SystemRandomNumberGenerator.self ? scheduler : nil
    }

    mutating func next() -> UInt64 {
        if let scheduler = scheduler.take() { repeatable = (scheduler as? any RepeatableScheduler)?.makeRandom() }
        return repeatable?.next() ?? base.next()
    }
}

/// What one call decides about its errors, one after the other.
struct RetryDecision<Generator: RandomNumberGenerator> {
    private let budget: RetryBudget?
    private let deadline: Deadline?
    private var pauses: RetryPauses<Generator>
    /// How many attempts may follow.
    private var left: Int

    init(_ policy: RetryPolicy, _ budget: RetryBudget?, _ deadline: Deadline?, _ generator: Generator) {
        self.budget = budget
        self.deadline = deadline
        pauses = RetryPauses(policy, generator)
        left = policy.attempts - 1
    }

    /// How long to wait before the next attempt, in nanoseconds; nil where there is none.
    mutating func pause(after error: any Error, if condition: (any Error) -> Bool) -> Int? {
        guard left > 0, condition(error) else { return nil }
        left -= 1
        let pause = (error as? any RetryAfter)?.retryAfter?.nanosecondsInInt ?? pauses.next()
        guard pause < .max, pause < deadline?.nanosecondsLeft ?? .max else { return nil }
        guard budget?.takeRetry() ?? true else { return nil }
        return pause
    }
}
