import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

struct ChangingBulkheadTests {
    private let log = Log()
    private let bulkhead = Bulkhead(2, waiting: 2, name: "database")

    private func call(_ name: String, _ subject: PublishSubject<Int> = PublishSubject()) -> any Disposable {
        subject.noteLifetime(in: log, as: name).admitted(by: bulkhead).note(in: log, as: name)
    }

    @Test func raisedLimitStartsWaitingCallsInOrder() throws {
        let calls = ["a", "b", "c", "d"].map { call($0) }
        #expect(log.take() == "a+ b+")
        try bulkhead.setLimits(Bulkhead.Limits(running: 4, waiting: 2))
        #expect(log.take() == "c+ d+")
        #expect(bulkhead.available == 0 && bulkhead.waiting == 0)
        #expect(bulkhead.limits == Bulkhead.Limits(running: 4, waiting: 2))
        for call in calls { call.dispose() }
        #expect(bulkhead.available == 4)
    }

    @Test func loweredLimitLeavesRunningCallsAndWithholdsPermits() throws {
        let calls = ["a", "b", "c"].map { call($0) }
        try bulkhead.setLimits(Bulkhead.Limits(running: 1, waiting: 2))
        #expect(log.take() == "a+ b+" && bulkhead.available == 0)
        calls[0].dispose()
        #expect(log.take() == "a-" && bulkhead.waiting == 1)
        calls[1].dispose()
        #expect(log.take() == "b- c+")
        calls[2].dispose()
        #expect(bulkhead.available == 1)
    }

    @Test func shorterQueueKeepsWaitingCallsAndRejectsLaterOnes() throws {
        let calls = ["a", "b", "c"].map { call($0) }
        try bulkhead.setLimits(Bulkhead.Limits(running: 2, waiting: 0))
        #expect(bulkhead.waiting == 1)
        _ = Observable.just(1).admitted(by: bulkhead).note(in: log, as: "d")
        #expect(log.take() == "a+ b+ derror(The bulkhead database is full: 2 running, 1 waiting.)")
        calls[0].dispose()
        #expect(log.take() == "a- c+")
        for call in calls { call.dispose() }
    }

    @Test func loweredLimitStillLetsTheQueueFillToItsBound() throws {
        let calls = ["a", "b"].map { call($0) }
        try bulkhead.setLimits(Bulkhead.Limits(running: 1, waiting: 1))
        let waiting = call("c")
        #expect(bulkhead.waiting == 1)
        for call in calls + [waiting] { call.dispose() }
    }

    @Test func invalidLimitIsThrownAndOldLimitStays() {
        for (limits, text) in [
            (
                Bulkhead.Limits(running: 0),
                "The bulkhead database keeps its limits, because limit is 0 calls. "
                    + "A bulkhead needs at least one permit."
            ),
            (
                Bulkhead.Limits(running: 1, waiting: -3),
                "The bulkhead database keeps its limits, because waiting is -3 calls. A count can't be negative."
            ),
        ] {
            let error = #expect(throws: InvalidLimit.self) { try bulkhead.setLimits(limits) }
            #expect(error?.description == text)
        }
        #expect(bulkhead.limits == Bulkhead.Limits(running: 2, waiting: 2))
    }

    @Test func limitRaisedByACallThatStartsIsUsedAtOnce() throws {
        let calls = [call("a"), call("b")]
        let bulkhead = bulkhead
        let raising = Observable<Int>.deferred { [log] in
            log("c+")
            try bulkhead.setLimits(Bulkhead.Limits(running: 3, waiting: 2))
            log("set")
            return .never()
        }.admitted(by: bulkhead).subscribe()
        let last = call("d")
        calls[0].dispose()
        #expect(log.text == "a+ b+ a- c+ d+ set")
        for call in calls + [raising, last] { call.dispose() }
        #expect(bulkhead.available == 3)
    }
}

struct ChangingRateLimiterTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    private func call(_ name: String, at time: Int, _ limiter: RateLimiter) {
        scheduler.scheduleAt(time) { [scheduler, log] in
            _ = Observable.just(0).do(onSubscribe: { log("\(name)@\(scheduler.clock)") }).limited(by: limiter)
                .subscribe(onError: { log("\(name):\($0 is RateLimitReached)") })
        }
    }

    private func set(at time: Int, _ limiter: RateLimiter, _ limits: RateLimiter.Limits) {
        scheduler.scheduleAt(time) {
            do { try limiter.setLimits(limits) } catch { Issue.record(error) }
        }
    }

    @Test func higherRateStartsWaitingCallsEarlier() {
        let limiter = RateLimiter(1, per: .seconds(100), scheduler: scheduler)
        for name in ["a", "b", "c"] { call(name, at: 0, limiter) }
        set(at: 3, limiter, RateLimiter.Limits(calls: 1, per: .seconds(10)))
        scheduler.start()
        #expect(log.text == "a@0 b@10 c@20")
    }

    @Test func lowerRateStartsWaitingCallsLater() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        for name in ["a", "b", "c"] { call(name, at: 0, limiter) }
        set(at: 3, limiter, RateLimiter.Limits(calls: 1, per: .seconds(100)))
        scheduler.start()
        #expect(log.text == "a@0 b@100 c@200")
    }

    /// At 51, two permits are available: one for the time before the change, and one for the second after it.
    @Test func timeBeforeTheChangeIsWorthAtMostOnePermit() {
        let limiter = RateLimiter(1, per: .seconds(100), burst: 5, scheduler: scheduler)
        for name in "abcdefghi" { call(String(name), at: 0, limiter) }
        set(at: 50, limiter, RateLimiter.Limits(calls: 1, per: .seconds(1), burst: 5))
        scheduler.start()
        #expect(log.text == "a@0 b@0 c@0 d@0 e@0 f@51 g@51 h@52 i@53")
    }

    @Test func higherBurstOfFullBucketFillsAtTheRate() {
        let limiter = RateLimiter(1, per: .seconds(10), waiting: 0, scheduler: scheduler)
        set(at: 100, limiter, RateLimiter.Limits(calls: 1, per: .seconds(10), burst: 3, waiting: 0))
        for name in ["a", "b"] { call(name, at: 101, limiter) }
        for name in ["c", "d", "e", "f"] { call(name, at: 200, limiter) }
        scheduler.start()
        #expect(log.text == "a@101 b:true c@200 d@200 e@200 f:true")
    }

    @Test func lowerBurstTakesPermitsFromTheBucket() {
        let limiter = RateLimiter(1, per: .seconds(10), burst: 4, waiting: 0, scheduler: scheduler)
        set(at: 1, limiter, RateLimiter.Limits(calls: 1, per: .seconds(10), burst: 2, waiting: 0))
        for name in ["a", "b", "c"] { call(name, at: 2, limiter) }
        call("d", at: 12, limiter)
        scheduler.start()
        #expect(log.text == "a@2 b@2 c:true d@12")
    }

    @Test func shorterQueueKeepsWaitingCalls() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        for name in ["a", "b", "c"] { call(name, at: 0, limiter) }
        set(at: 1, limiter, RateLimiter.Limits(calls: 1, per: .seconds(10), waiting: 1))
        call("d", at: 2, limiter)
        scheduler.start()
        #expect(log.text == "a@0 d:true b@10 c@20")
    }

    @Test(
        arguments: [
            (RateLimiter.Limits(calls: 0, per: .seconds(1)), "limit is 0 calls"),
            (RateLimiter.Limits(calls: 1, per: .seconds(1), burst: 0), "burst is 0 calls"),
            (RateLimiter.Limits(calls: 1, per: .seconds(1), waiting: -1), "waiting is -1 calls"),
            (RateLimiter.Limits(calls: 1, per: .seconds(0)), "per is seconds(0)"),
        ])
    func invalidLimitIsThrownAndOldLimitStays(limits: RateLimiter.Limits, text: String) {
        let limiter = RateLimiter(5, per: .seconds(2), name: "mail", scheduler: scheduler)
        let error = #expect(throws: InvalidLimit.self) { try limiter.setLimits(limits) }
        #expect(error?.description.hasPrefix("The rate limiter mail keeps its limits, because \(text). ") == true)
        #expect(limiter.limits == RateLimiter.Limits(calls: 5, per: .seconds(2)))
    }
}

struct ChangingCircuitBreakerTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func breaker(_ change: (inout CircuitBreaker.Limits) -> Void = { _ in }) throws -> CircuitBreaker {
        let breaker = CircuitBreaker(
            "payments", window: .calls(4), failureRate: 0.5, openFor: .seconds(10), trials: 3, scheduler: scheduler)
        try set(breaker, change)
        return breaker
    }

    private func set(_ breaker: CircuitBreaker, _ change: (inout CircuitBreaker.Limits) -> Void) throws {
        var limits = breaker.limits
        change(&limits)
        try breaker.setLimits(limits)
    }

    private func call(_ breaker: CircuitBreaker, _ source: Observable<Int> = .empty()) -> any Disposable {
        source.guarded(by: breaker).subscribe(onError: { _ in })
    }

    private func fail(_ breaker: CircuitBreaker, _ count: Int) {
        for _ in 0..<count { _ = call(breaker, .error(TestError.a)) }
    }

    @Test func lowerFailureRateOpensWithTheNextCall() throws {
        let breaker = try breaker()
        _ = call(breaker)
        _ = call(breaker)
        _ = call(breaker)
        fail(breaker, 1)
        #expect(breaker.state == .closed)
        try set(breaker) { $0.failureRate = 0.25 }
        #expect(breaker.state == .closed)
        _ = call(breaker)
        #expect(breaker.state == .open)
    }

    @Test func newWindowBeginsEmpty() throws {
        let breaker = try breaker()
        fail(breaker, 3)
        try set(breaker) { $0.window = .calls(5) }
        fail(breaker, 4)
        #expect(breaker.state == .closed)
        fail(breaker, 1)
        #expect(breaker.state == .open)
    }

    @Test func changeOfOtherLimitsKeepsCounts() throws {
        let breaker = try breaker()
        fail(breaker, 3)
        try set(breaker) { $0.openFor = .seconds(5) }
        fail(breaker, 1)
        #expect(breaker.state == .open)
    }

    @Test func shorterOpenTimeAppliesToAnOpenBreaker() throws {
        let breaker = try breaker()
        fail(breaker, 4)
        scheduler.advanceTo(5)
        _ = call(breaker)
        #expect(breaker.state == .open)
        try set(breaker) { $0.openFor = .seconds(5) }
        _ = call(breaker)
        #expect(breaker.state == .halfOpen)
    }

    @Test func fewerTrialsDecideAHalfOpenBreakerAtOnce() throws {
        let breaker = try breaker()
        nonisolated(unsafe) var states: [CircuitBreaker.State] = []
        let watch = breaker.states.subscribe(onNext: { states.append($0) })
        fail(breaker, 4)
        scheduler.advanceTo(10)
        _ = call(breaker)
        _ = call(breaker)
        #expect(breaker.state == .halfOpen)
        try set(breaker) { $0.trials = 1 }
        #expect(breaker.state == .closed)
        #expect(states == [.closed, .open, .halfOpen, .closed])
        watch.dispose()
    }

    /// The first trial that ends decides the state.
    @Test func fewerTrialsThanRunLeaveThemRunning() throws {
        let breaker = try breaker()
        fail(breaker, 4)
        scheduler.advanceTo(10)
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let calls = [call(breaker, first), call(breaker, second)]
        try set(breaker) { $0.trials = 1 }
        #expect(breaker.state == .halfOpen)
        #expect(first.hasObservers && second.hasObservers)
        first.onCompleted()
        #expect(breaker.state == .closed)
        #expect(second.hasObservers)
        for call in calls { call.dispose() }
    }

    @Test func slowLimitOfTheEndOfACallCounts() throws {
        let breaker = try breaker { $0.slowRate = 0.25 }
        for _ in 0..<3 { _ = call(breaker) }
        let subject = PublishSubject<Int>()
        let running = call(breaker, subject)
        scheduler.advanceTo(5)
        try set(breaker) { $0.slowAfter = .seconds(4) }
        subject.onCompleted()
        #expect(breaker.state == .open)
        running.dispose()
    }

    private static func limits(_ change: (inout CircuitBreaker.Limits) -> Void) -> CircuitBreaker.Limits {
        var limits = CircuitBreaker.Limits()
        limits.window = .calls(4)
        change(&limits)
        return limits
    }

    static let invalid: [(String, CircuitBreaker.Limits)] = [
        ("failureRate is 50.0 of the calls", limits { $0.failureRate = 50 }),
        ("slowRate is nan of the calls", limits { $0.slowRate = .nan }),
        ("trials is 0 calls", limits { $0.trials = 0 }),
        ("window is 0 calls", limits { $0.window = .calls(0) }),
        ("window is seconds(0)", limits { $0.window = .span(.seconds(0)) }),
        ("minimumCalls is -1 calls", limits { $0.minimumCalls = -1 }),
        ("minimumCalls is 5 calls", limits { $0.minimumCalls = 5 }),
    ]

    @Test(arguments: invalid) func invalidLimitIsThrownAndOldLimitStays(
        text: String, limits: CircuitBreaker.Limits
    ) throws {
        let breaker = try breaker()
        let before = breaker.limits
        let error = #expect(throws: InvalidLimit.self) { try breaker.setLimits(limits) }
        #expect(
            error?.description.hasPrefix("The circuit breaker payments keeps its limits, because \(text). ") == true)
        #expect(breaker.limits == before)
    }
}

struct ChangingRetryBudgetTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func lowerBurstTakesTokensAndHigherBurstAddsNone() throws {
        let budget = RetryBudget(ratio: 0.5, burst: 4)
        try budget.setLimits(RetryBudget.Limits(ratio: 0.5, burst: 2))
        #expect(budget.balance == 2)
        try budget.setLimits(RetryBudget.Limits(ratio: 0.5, burst: 10))
        #expect(budget.balance == 2)
        budget.recordCall()
        #expect(budget.balance == 2.5)
    }

    @Test func newRatioAppliesToLaterCalls() throws {
        let budget = RetryBudget(ratio: 0, burst: 2)
        #expect(budget.takeRetry())
        budget.recordCall()
        try budget.setLimits(RetryBudget.Limits(ratio: 0.25, burst: 2))
        budget.recordCall()
        #expect(budget.balance == 1.25)
    }

    @Test func timeBeforeTheChangeCountsAtTheOldRate() throws {
        let budget = RetryBudget(ratio: 0, burst: 10, perSecond: 0.5, scheduler: scheduler)
        for _ in 0..<10 { #expect(budget.takeRetry()) }
        scheduler.advanceTo(4)
        try budget.setLimits(RetryBudget.Limits(ratio: 0, burst: 10, perSecond: 2))
        scheduler.advanceTo(5)
        #expect(budget.balance == 4)
    }

    @Test(
        arguments: [
            (RetryBudget.Limits(ratio: 10), "ratio is 10.0 tokens for each call"),
            (RetryBudget.Limits(ratio: .nan), "ratio is nan tokens for each call"),
            (RetryBudget.Limits(ratio: 0, burst: -1), "burst is -1 tokens"),
            (RetryBudget.Limits(ratio: 0, perSecond: -1), "perSecond is -1.0 tokens per second"),
            // Without a scheduler, a budget cannot refill.
            (RetryBudget.Limits(ratio: 0, perSecond: 1), "perSecond is 1.0 tokens per second"),
        ])
    func invalidLimitIsThrownAndOldLimitStays(limits: RetryBudget.Limits, text: String) {
        let budget = RetryBudget(ratio: 0.1, burst: 3)
        let error = #expect(throws: InvalidLimit.self) { try budget.setLimits(limits) }
        #expect(error?.description.contains(", because \(text). ") == true)
        #expect(budget.limits == RetryBudget.Limits(ratio: 0.1, burst: 3))
    }
}

struct TimeLimitTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    private func subscribe(_ name: String, _ sequence: Observable<Int>) {
        _ = sequence.subscribe(onError: { [log, scheduler] in log("\(name)@\(scheduler.clock):\($0)") })
    }

    @Test func runningTimersKeepTheirSpanAndNewOnesUseTheNewSpan() throws {
        let limit = TimeLimit(.seconds(10))
        let source = Observable<Int>.never().timeout(within: limit, scheduler: scheduler)
        subscribe("a", source)
        try limit.setSpan(.seconds(3))
        subscribe("b", source)
        #expect(limit.span == .seconds(3))
        scheduler.start()
        #expect(log.text == "b@3:timeout: total exceeded 3 s a@10:timeout: total exceeded 10 s")
    }

    @Test func firstAndBetweenUseTheSpanOfTheSubscription() throws {
        let limit = TimeLimit(.seconds(10))
        let first = Observable<Int>.never().timeout(first: limit, scheduler: scheduler)
        let between = Observable<Int>.never().startWith(0).timeout(between: limit, scheduler: scheduler)
        try limit.setSpan(.seconds(4))
        subscribe("a", first)
        subscribe("b", between)
        scheduler.start()
        #expect(log.text == "a@4:timeout: first exceeded 4 s b@4:timeout: between exceeded 4 s")
    }

    @Test func deadlineUsesTheSpanOfTheSubscription() throws {
        let limit = TimeLimit(.seconds(10))
        let call = Observable<Int>.never().deadline(within: limit, scheduler: scheduler)
        let single = Single<Int>.never().deadline(within: limit, scheduler: scheduler)
        let total = Single<Int>.never().timeout(within: limit, scheduler: scheduler)
        try limit.setSpan(.seconds(4))
        subscribe("a", call)
        try limit.setSpan(.seconds(5))
        subscribe("b", single.asObservable())
        try limit.setSpan(.seconds(6))
        subscribe("c", total.asObservable())
        scheduler.start()
        #expect(
            log.text == "a@4:timeout: deadline exceeded 4 s b@5:timeout: deadline exceeded 5 s "
                + "c@6:timeout: total exceeded 6 s")
    }

    @Test func asynchronousWorkUsesTheSpanOfTheCall() throws {
        let scheduler = TestScheduler.milliseconds()
        let limit = TimeLimit(.seconds(10))
        try limit.setSpan(.milliseconds(7))
        let error = #expect(throws: TimeoutError.self) {
            try onVirtualTime(scheduler) {
                try await withDeadline(within: limit, scheduler: scheduler) { try await Single<Int>.never().value }
            }
        }
        #expect(error == TimeoutError(exceeded: .deadline, limit: .milliseconds(7)))
    }

    @Test func spanOfZeroIsThrownAndOldSpanStays() {
        let limit = TimeLimit(.seconds(2), name: "charge")
        let error = #expect(throws: InvalidLimit.self) { try limit.setSpan(.milliseconds(0)) }
        #expect(
            error?.description == "The time limit charge keeps its limits, because span is milliseconds(0). "
                + "A time limit needs a span longer than zero.")
        #expect(limit.span == .seconds(2))
    }
}

struct QueueLimitTests {
    @Test func subscriptionUsesTheBoundOfItsTime() throws {
        let (scheduler, limit) = (TestScheduler(initialClock: 0), QueueLimit(3))
        nonisolated(unsafe) var produced = 0
        let chain = Observable<Int>.range(start: 0, count: 100).do(onNext: { _ in produced += 1 })
            .observe(on: scheduler).bounded(limit)
        let first = chain.subscribe()
        #expect(produced == 3)
        try limit.setCount(7)
        produced = 0
        let second = chain.subscribe()
        #expect(produced == 7 && limit.count == 7)
        first.dispose()
        second.dispose()
        scheduler.start()
    }

    @Test func zeroIsThrownAndOldBoundStays() {
        let limit = QueueLimit(3, name: "lines")
        let error = #expect(throws: InvalidLimit.self) { try limit.setCount(0) }
        #expect(
            error?.description == "The queue limit lines keeps its limits, because count is 0 elements. "
                + "A queue needs room for at least one element.")
        #expect(limit.count == 3)
    }
}

struct ChangingIntakeTests {
    @Test func lowerLimitKeepsAcceptedElementsAndRefusesLaterOnes() throws {
        let (intake, drain, log) = (Intake<Int>(atMost: 3, name: "orders"), Drain(), Log())
        let ends = (0..<4).map { _ in PublishSubject<Int>() }
        let work = intake.handling(until: drain) { ends[$0].asSingle() }
            .subscribe(onNext: { log("\((try? $0.get()) ?? -1)") }, onCompleted: { log("completed") })
        for element in 0..<3 { #expect(intake.offer(element).isAccepted) }
        try intake.setLimit(2)
        #expect(!intake.offer(3).isAccepted && intake.unhandled == 3)
        for element in 0..<2 {
            ends[element].onNext(element)
            ends[element].onCompleted()
        }
        #expect(intake.offer(3).isAccepted && intake.limit == 2)
        for element in 2..<4 {
            ends[element].onNext(element)
            ends[element].onCompleted()
        }
        drain.stop()
        #expect(log.text == "0 1 2 3 completed")
        work.dispose()
    }

    @Test func zeroIsThrownAndOldLimitStays() {
        let intake = Intake<Int>(atMost: 3, name: "orders")
        let error = #expect(throws: InvalidLimit.self) { try intake.setLimit(0) }
        #expect(
            error?.description == "The intake orders keeps its limits, because atMost is 0 elements. "
                + "An intake needs room for at least one element.")
        #expect(intake.limit == 3)
    }
}
