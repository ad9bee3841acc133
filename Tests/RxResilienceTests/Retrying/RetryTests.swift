import RxResilience
import RxTest
import TestSupport
import Testing

@Suite struct RetryTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private struct Busy: RetryAfter {
        let retryAfter: RxTimeInterval?
    }

    private func failing(_ policy: RetryPolicy, budget: RetryBudget? = nil) -> Outcome<Int> {
        let source = scheduler.cold("{10}1{9}#")
        let observer = scheduler.start { [scheduler] in source.retry(policy, budget: budget, scheduler: scheduler) }
        return Outcome(observer, source)
    }

    @Test func afterPausesThatGrow() {
        failing(.exponential(from: .seconds(10), limit: .seconds(30), jitter: .none, attempts: 5)).expect(
            "{10}1{29}1{39}1{49}1{49}1{9}#",
            subscribed: "^{19}!", "{30}^{19}!", "{70}^{19}!", "{120}^{19}!", "{170}^{19}!")
    }

    @Test func atOnce() {
        failing(.atOnce(attempts: 2)).expect("{10}1{19}1{9}#", subscribed: "^{19}!", "{20}^{19}!")
    }

    private static func moments<Generator: RandomNumberGenerator & Sendable>(
        using generator: Generator = SystemRandomNumberGenerator()
    ) -> String {
        let (scheduler, log) = (TestScheduler.milliseconds(), Log())
        for name in ["a", "b"] {
            _ = Observable<Int>.deferred {
                log("\(name)@\(scheduler.clock)")
                throw TestError.a
            }
            .retry(
                .exponential(from: .seconds(10), limit: .seconds(99), attempts: 9), scheduler: scheduler,
                using: generator
            )
            .subscribe(onError: { _ in })
        }
        scheduler.start()
        return log.text
    }

    @Test func jitterOnATestSchedulerIsTheSameInEachRun() {
        let moments = Self.moments()
        #expect((0..<5).allSatisfy { _ in Self.moments() == moments })
        let entries = moments.split(separator: " ")
        #expect(Set(entries.filter { $0.hasPrefix("a") }.map { $0.dropFirst() }).count == 9)
        #expect(
            entries.filter { $0.hasPrefix("a") }.map { $0.dropFirst() }
                != entries.filter { $0.hasPrefix("b") }.map { $0.dropFirst() })
    }

    @Test func jitterOfASeededGeneratorFollowsFromItsSeed() {
        #expect(Self.moments(using: SeededGenerator(seed: 7)) == Self.moments(using: SeededGenerator(seed: 7)))
        #expect(Self.moments(using: SeededGenerator(seed: 7)) != Self.moments(using: SeededGenerator(seed: 8)))
    }

    @Test func jitterOfRetryingOnATestSchedulerIsTheSameInEachRun() throws {
        func duration() throws -> Int {
            let scheduler = TestScheduler.milliseconds()
            try? onVirtualTime(scheduler) {
                try await retrying(.every(.seconds(10), jitter: .full, attempts: 5), scheduler: scheduler) {
                    throw TestError.a
                }
            }
            return scheduler.clock
        }
        let first = try duration()
        #expect(try (0..<5).allSatisfy { _ in try duration() == first })
        #expect(first > 0)
    }

    @Test func oneAttemptMeansNoRetry() {
        failing(.atOnce(attempts: 1)).expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func errorIsSentWhenBudgetIsEmpty() {
        let budget = RetryBudget(ratio: 0, burst: 1)
        failing(.every(.seconds(5), attempts: 9), budget: budget)
            .expect("{10}1{24}1{9}#", subscribed: "^{19}!", "{25}^{19}!")
    }

    @Test func callsShareTheBudgetAndFillIt() {
        let budget = RetryBudget(ratio: 0.5, burst: 1)
        let call = Observable<Int>.just(1).concat(Observable.error(TestError.a))
            .retry(.atOnce(attempts: 9), budget: budget, scheduler: scheduler)
        #expect(budget.takeRetry())
        #expect(seen(call) == "1 error(a)")
        #expect(seen(call) == "1 1 error(a)")
        #expect(seen(call) == "1 error(a)")
    }

    @Test func rejectedConditionEndsRetryingWithoutToken() {
        let budget = RetryBudget(ratio: 0, burst: 5)
        let log = Log()
        let call = Observable<Int>.error(TestError.a).retry(
            .atOnce(attempts: 9), budget: budget,
            if: { error in
                log(error)
                return log.entries.count < 3
            }, scheduler: scheduler)
        #expect(seen(call) == "error(a)")
        #expect(log.text == "a a a")
        #expect(budget.balance == 3)
    }

    @Test func theConditionIsNotAskedAfterTheLastAttempt() {
        let log = Log()
        let call = Observable<Int>.error(TestError.a).retry(
            .atOnce(attempts: 2),
            if: { _ in
                log("asked")
                return true
            }, scheduler: scheduler)
        #expect(seen(call) == "error(a)")
        #expect(log.text == "asked")
    }

    @Test(arguments: [(.seconds(40), "200 240"), (nil, "200 205")] as [(RxTimeInterval?, String)])
    func retryAfterOfErrorSetsPause(own: RxTimeInterval?, attempts: String) {
        let log = Log()
        let source = Observable<Int>.deferred { [scheduler] in
            log(scheduler.clock)
            return .error(Busy(retryAfter: own))
        }
        _ = scheduler.start { [scheduler] in source.retry(.every(.seconds(5), attempts: 2), scheduler: scheduler) }
        #expect(log.text == attempts)
    }

    @Test func retryAfterOfErrorLeavesPausesOfPolicyUnchanged() {
        let log = Log()
        nonisolated(unsafe) var own: [RxTimeInterval?] = [.seconds(40), nil, nil, nil]
        let source = Observable<Int>.deferred { [scheduler] in
            log(scheduler.clock)
            return .error(Busy(retryAfter: own.removeFirst()))
        }
        let policy = RetryPolicy.exponential(from: .seconds(10), limit: .seconds(100), jitter: .none, attempts: 4)
        _ = scheduler.start { [scheduler] in source.retry(policy, scheduler: scheduler) }
        #expect(log.text == "200 240 250 270")
    }

    @Test func retryAfterNeverEndsRetrying() {
        let budget = RetryBudget(ratio: 0)
        let source = Observable<Int>.error(Busy(retryAfter: .never))
        let call = source.retry(.every(.seconds(5)), budget: budget, scheduler: scheduler)
        #expect(seen(call).hasPrefix("error"))
        #expect(budget.balance == 10)
    }

    @Test func disposalEndsAPauseAndTheTokenIsSpent() {
        let budget = RetryBudget(ratio: 0)
        let source = scheduler.cold("{10}#")
        scheduler.start(disposed: 220) { [scheduler] in
            source.retry(.every(.seconds(50)), budget: budget, scheduler: scheduler)
        }.expect("")
        source.expectSubscriptions("^{9}!")
        #expect(budget.balance == 9)
    }

    @Test func eachSubscriptionRepeatsSamePauses() {
        let log = Log()
        let source = Observable<Int>.deferred { [scheduler] in
            log(scheduler.clock)
            return .error(TestError.a)
        }
        let call = source.retry(
            .exponential(from: .seconds(10), limit: .seconds(100), attempts: 4), scheduler: scheduler, using: Seeded(7))
        scheduler.run { call.subscribe(onError: { _ in }) }
        let (first, begin) = (log.take(), scheduler.clock)
        scheduler.run { call.subscribe(onError: { _ in }) }
        #expect(log.entries.map { Int($0)! - begin } == first.split(separator: " ").map { Int($0)! })
    }

    @Test func aPauseThatWouldOutlastTheDeadlineIsNotMade() {
        let budget = RetryBudget(ratio: 0)
        let source = scheduler.cold("{10}#")
        let observer = scheduler.start { [scheduler] in
            source.retry(.every(.seconds(30)), budget: budget, scheduler: scheduler)
                .deadline(in: .seconds(80), scheduler: scheduler)
        }
        // The second pause would end at the deadline: an attempt takes 10 s and a pause 30 s.
        observer.expect("{50}#", error: TestError.a)
        source.expectSubscriptions("^{9}!", "{40}^{9}!")
        #expect(budget.balance == 9)
    }

    @Test func eachAttemptSeesTheDeadline() {
        let log = Log()
        let source = Observable<Int>.deferred {
            log(Deadline.current.map { "\($0.remaining)" } ?? "none")
            return .error(TestError.a)
        }
        _ = scheduler.start { [scheduler] in
            source.retry(.every(.seconds(30)), scheduler: scheduler).deadline(in: .seconds(80), scheduler: scheduler)
        }
        #expect(log.entries.count == 3)
        #expect(log.entries == [80, 50, 20].map { "\(RxTimeInterval.nanoseconds($0 * 1_000_000_000))" })
    }

    @Test(arguments: Form.allCases) func inEachFormTheConditionDecidesAndRetriesCostTokens(form: Form) {
        let (budget, log, scheduler) = (RetryBudget(ratio: 0, burst: 5), Log(), scheduler)
        let policy = RetryPolicy.atOnce(attempts: 9)
        let condition: @Sendable (any Error) -> Bool = { error in
            log(error)
            return log.entries.count < 3
        }
        let call = form.apply(
            .error(TestError.a),
            observable: { $0.retry(policy, budget: budget, if: condition, scheduler: scheduler) },
            single: { $0.retry(policy, budget: budget, if: condition, scheduler: scheduler) },
            maybe: { $0.retry(policy, budget: budget, if: condition, scheduler: scheduler) },
            completable: { $0.retry(policy, budget: budget, if: condition, scheduler: scheduler) })
        #expect(seen(call) == "error(a)")
        #expect(log.text == "a a a")
        #expect(budget.balance == 3)
    }

    @Test(arguments: Form.allCases) func eachFormUsesGivenGenerator(form: Form) {
        let policy = RetryPolicy.every(.seconds(100), jitter: .full, attempts: 6)
        func times(_ form: Form) -> [TestTime] {
            let scheduler = TestScheduler(initialClock: 0)
            return scheduler.start {
                form.apply(
                    .error(TestError.a),
                    observable: { $0.retry(policy, scheduler: scheduler, using: Seeded(7)) },
                    single: { $0.retry(policy, scheduler: scheduler, using: Seeded(7)) },
                    maybe: { $0.retry(policy, scheduler: scheduler, using: Seeded(7)) },
                    completable: { $0.retry(policy, scheduler: scheduler, using: Seeded(7)) })
            }.events.map(\.time)
        }
        #expect(times(form).count == 1 && times(form) == times(.observable))
    }

    @Test(arguments: Form.allCases) func eachFormRetries(form: Form) {
        let log = Log()
        let source = Observable<Int>.deferred {
            log("attempt")
            return log.entries.count < 3 ? .error(TestError.a) : .just(1)
        }
        let (policy, scheduler) = (RetryPolicy.every(.seconds(5)), scheduler)
        scheduler.start {
            form.apply(
                source, observable: { $0.retry(policy, scheduler: scheduler) },
                single: { $0.retry(policy, scheduler: scheduler) }, maybe: { $0.retry(policy, scheduler: scheduler) },
                completable: { $0.retry(policy, scheduler: scheduler) })
        }
        .expect(form == .completable ? "{10}|" : "{10}(1|)")
        #expect(log.text == "attempt attempt attempt")
    }

    @Test func manyAttemptsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            nonisolated(unsafe) var count = 0
            _ = Observable<Int>.error(TestError.a).do(onSubscribe: { count += 1 })
                .retry(.atOnce(attempts: 100_000), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
                .subscribe(onError: { _ in })
            return count
        }
        #expect(count == 100_000)
    }
}

@Suite struct RetryingTests {
    private let scheduler = TestScheduler.milliseconds()
    private let log = Log()

    private func attempt(succeeding attempt: Int) throws -> Int {
        log(scheduler.clock)
        guard log.entries.count >= attempt else { throw TestError.a }
        return log.entries.count
    }

    @Test func workIsTriedAgainAfterPauses() throws {
        let value = try onVirtualTime(scheduler) { [self] in
            try await retrying(.every(.milliseconds(50), attempts: 3), scheduler: scheduler) {
                try attempt(succeeding: 3)
            }
        }
        #expect(value == 3)
        #expect(log.text == "0 50 100")
    }

    @Test func theLastErrorIsThrown() {
        let budget = RetryBudget(ratio: 0, burst: 1)
        #expect(throws: TestError.a) {
            try onVirtualTime(scheduler) { [self] in
                try await retrying(.atOnce(attempts: 9), budget: budget, scheduler: scheduler) {
                    try attempt(succeeding: 9)
                }
            }
        }
        #expect(log.text == "0 0")
    }

    @Test func eachCallFillsTheBudget() throws {
        let budget = RetryBudget(ratio: 0.5, burst: 1)
        #expect(budget.takeRetry())
        for _ in 0..<2 {
            _ = try onVirtualTime(scheduler) { [self] in
                try await retrying(.atOnce(), budget: budget, scheduler: scheduler) { try attempt(succeeding: 1) }
            }
        }
        #expect(budget.balance == 1)
    }

    @Test func deadlineLimitsRetrying() {
        #expect(throws: TestError.a) {
            try onVirtualTime(scheduler) { [self] in
                try await withDeadline(in: .milliseconds(75), scheduler: scheduler) { [self] in
                    try await retrying(.every(.milliseconds(50), attempts: 9), scheduler: scheduler) {
                        try attempt(succeeding: 9)
                    }
                }
            }
        }
        #expect(log.text == "0 50")
    }

    @Test func cancelledTaskDoesNotRetryAndSpendsNoToken() {
        let budget = RetryBudget(ratio: 0)
        #expect(throws: TestError.a) {
            try onVirtualTime(scheduler) { [self] in
                try await retrying(.every(.milliseconds(50)), budget: budget, scheduler: scheduler) {
                    log("once")
                    withUnsafeCurrentTask { $0?.cancel() }
                    throw TestError.a
                }
            }
        }
        #expect(log.text == "once")
        #expect(budget.balance == 10)
    }

    @Test func aCancellationIsNotTriedAgainAndEndsAPause() {
        #expect(throws: CancellationError.self) {
            try onVirtualTime(scheduler) { [self] in
                try await retrying(.atOnce(), scheduler: scheduler) {
                    log("once")
                    throw CancellationError()
                }
            }
        }
        #expect(log.take() == "once")
        #expect(throws: CancellationError.self) {
            try onVirtualTime(scheduler) { [self] in
                scheduler.scheduleAt(20) { [log] in log("cancelled") }
                return try await withThrowingTaskGroup(of: Int.self) { [self] group in
                    group.addTask { [self] in
                        try await retrying(.every(.seconds(100)), scheduler: scheduler) { throw TestError.a }
                    }
                    group.addTask { [self] in
                        _ = try await Single<Int>.timer(.milliseconds(20), scheduler: scheduler).value
                        throw CancellationError()
                    }
                    return try await group.next()!
                }
            }
        }
        #expect(scheduler.clock == 20)
    }

    @Test func aPolicyWithoutAnAttemptStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryPolicy.atOnce(attempts: 0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A call needs at least one attempt (RetryPolicy, attempts: 0)"))
    }
}
