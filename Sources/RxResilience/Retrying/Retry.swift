public import RxSwift

extension ObservableType {
    /// Subscribes again when this sequence fails, within the limits of a policy and a budget.
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
    /// The result fails with the error of an attempt if
    /// - it was the last attempt,
    /// - `condition` returns false,
    /// - the error forbids a retry (``RetryAfter``),
    /// - the pause would outlast the ``Deadline`` of the subscription, or
    /// - the budget is empty.
    ///
    /// The first attempt is made on the subscribing thread. Later attempts are made on `scheduler` after their pauses.
    /// An attempt without a pause is made at once, on the thread that sends the error. All attempts have the deadline
    /// of the subscription. A failed attempt is disposed of before the pause. Disposing of the result ends a pause at
    /// once.
    ///
    /// If another attempt is possible, `condition` is called on the thread that sends the error. Each retry takes a
    /// token from the budget. `generator` gives the jitter. Each subscription copies it, so a fixed seed gives the same
    /// pauses each time. In virtual time, the default generator has a fixed seed.
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
                // `decision` needs no lock, because errors come one at a time.
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
    /// Subscribes again when this sequence fails, within the limits of a policy and a budget.
    ///
    /// See ``RxSwift/ObservableType/retry(_:budget:if:scheduler:using:)``.
    public func retry<Generator: RandomNumberGenerator & Sendable>(
        _ policy: RetryPolicy, budget: RetryBudget? = nil,
        if condition: @escaping @Sendable (any Error) -> Bool = { _ in true },
        scheduler: any SchedulerType, using generator: Generator = SystemRandomNumberGenerator()
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: asObservable().retry(policy, budget: budget, if: condition, scheduler: scheduler, using: generator))
    }
}

/// The random numbers of one call. In virtual time, the scheduler's generator replaces the system's.
struct RetryChance<Base: RandomNumberGenerator>: RandomNumberGenerator {
    private var base: Base
    private var repeatable: SeededRandom?
    /// Creates `repeatable` at the first call of `next`, and is nil afterwards. Nil from the start if the caller passed
    /// a generator.
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

struct RetryDecision<Generator: RandomNumberGenerator> {
    private let budget: RetryBudget?
    private let deadline: Deadline?
    private var pauses: RetryPauses<Generator>
    private var left: Int

    init(_ policy: RetryPolicy, _ budget: RetryBudget?, _ deadline: Deadline?, _ generator: Generator) {
        self.budget = budget
        self.deadline = deadline
        pauses = RetryPauses(policy, generator)
        left = policy.attempts - 1
    }

    /// Returns the pause before the next attempt, in nanoseconds; nil if there is no next attempt.
    mutating func pause(after error: any Error, if condition: (any Error) -> Bool) -> Int? {
        guard left > 0 else { return giveUp(.attempts) }
        guard condition(error) else { return giveUp(.error) }
        left -= 1
        let pause = (error as? any RetryAfter)?.retryAfter?.nanosecondsInInt ?? pauses.next()
        guard pause < .max else { return giveUp(.error) }
        guard pause < deadline?.nanosecondsLeft ?? .max else { return giveUp(.deadline) }
        guard budget?.takeRetry() ?? true else { return giveUp(.budget) }
        Resilience.tell(.retry, name, .retried(pause: .nanoseconds(pause)))
        return pause
    }

    private func giveUp(_ reason: Resilience.GivingUp) -> Int? {
        Resilience.tell(.retry, name, .gaveUp(reason))
        return nil
    }

    private var name: String { budget?.name ?? "retry" }
}
