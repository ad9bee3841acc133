import RxTest
import TestSupport
import Testing

@testable import RxResilience

@Suite struct RetryBudgetTests {
    private func taken(_ budget: RetryBudget, attempts: Int = 100) -> Int {
        (0..<attempts).count { _ in budget.takeRetry() }
    }

    @Test func budgetStartsFullAndRunsEmpty() {
        let budget = RetryBudget(ratio: 0.1, burst: 3)
        #expect(budget.balance == 3)
        #expect(taken(budget) == 3)
        #expect(budget.balance == 0)
    }

    @Test func tenTenthsAreOne() {
        let budget = RetryBudget(ratio: 0.1)
        #expect(taken(budget) == 10)
        for _ in 0..<9 { budget.recordCall() }
        #expect(taken(budget) == 0)
        budget.recordCall()
        #expect(taken(budget) == 1)
    }

    @Test func budgetHoldsAtMostBurst() {
        let budget = RetryBudget(ratio: 1, burst: 2)
        for _ in 0..<10 { budget.recordCall() }
        #expect(taken(budget) == 2)
    }

    @Test func returnedTokenDoesNotExceedBurst() {
        let budget = RetryBudget(ratio: 1, burst: 2)
        #expect(budget.takeRetry())
        budget.giveBack()
        #expect(budget.balance == 2)
        #expect(budget.takeRetry())
        // Fills the budget before the token is returned.
        budget.recordCall()
        budget.giveBack()
        #expect(budget.balance == 2)
    }

    @Test func halfATokenAllowsNoRetry() {
        let budget = RetryBudget(ratio: 0.5, burst: 1)
        #expect(budget.takeRetry())
        budget.recordCall()
        #expect(!budget.takeRetry())
        #expect(budget.balance == 0.5)
    }

    @Test func negativeClockIsAccepted() {
        let scheduler = TestScheduler(initialClock: -1_000)
        let budget = RetryBudget(ratio: 0, burst: 10, perSecond: 1, scheduler: scheduler)
        #expect(taken(budget) == 10)
        scheduler.advanceTo(-997)
        #expect(budget.balance == 3)
    }

    @Test func timeBringsTokens() {
        let scheduler = TestScheduler.milliseconds()
        let budget = RetryBudget(ratio: 0, burst: 10, perSecond: 2, scheduler: scheduler)
        #expect(taken(budget) == 10)
        scheduler.advanceTo(499)
        #expect(taken(budget) == 0)
        scheduler.advanceTo(500)
        #expect(taken(budget) == 1)
        scheduler.advanceTo(2_000)
        #expect(budget.balance == 3)
        scheduler.advanceTo(60_000)
        #expect(budget.balance == 10)
    }

    @Test func frequentBalanceReadsLoseNoRefill() {
        let scheduler = TestScheduler.milliseconds()
        // Each millisecond adds a tenth of the smallest unit.
        let budget = RetryBudget(ratio: 0, burst: 1, perSecond: 1e-7, scheduler: scheduler)
        #expect(budget.takeRetry())
        for time in 1...25 {
            scheduler.advanceTo(time)
            _ = budget.balance
        }
        #expect(budget.balance > 0)
    }

    @Test func refillAddsSmallestMissingFraction() {
        let scheduler = TestScheduler.milliseconds()
        let budget = RetryBudget(ratio: 0.999_999_999, burst: 1, perSecond: 1, scheduler: scheduler)
        #expect(budget.takeRetry())
        budget.recordCall()
        #expect(!budget.takeRetry())
        scheduler.advanceTo(1_000)
        #expect(budget.takeRetry())
    }

    @Test func budgetWithoutRefillStaysEmpty() {
        let scheduler = TestScheduler.milliseconds()
        let budget = RetryBudget(ratio: 0, burst: 3, perSecond: 0, scheduler: scheduler)
        #expect(taken(budget) == 3)
        for time in 1...5 {
            scheduler.advanceTo(10_000 * time)
            budget.recordCall()
            #expect(budget.balance == 0)
        }
    }

    @Test func timeWhileFullAddsNoTokens() {
        let scheduler = TestScheduler.milliseconds()
        let budget = RetryBudget(ratio: 0, burst: 2, perSecond: 1, scheduler: scheduler)
        scheduler.advanceTo(60_000)
        #expect(taken(budget) == 2)
    }

    @Test func clockSetBackAddsNoTokensTwice() {
        let scheduler = TestScheduler.milliseconds()
        scheduler.advanceTo(60_000)
        let budget = RetryBudget(ratio: 0, burst: 2, perSecond: 1, scheduler: scheduler)
        scheduler.advanceTo(50_000)
        #expect(taken(budget) == 2)
        scheduler.advanceTo(60_000)
        #expect(budget.balance == 0)
    }

    @Test func frequentReadsAtSmallRateKeepWholeRefill() {
        // A microsecond adds 1.5 billionths of a token.
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.000_001, simulateProcessingDelay: false)
        let budget = RetryBudget(ratio: 0, burst: 1, perSecond: 0.001_5, scheduler: scheduler)
        #expect(budget.takeRetry())
        for time in 1...10_000 {
            scheduler.advanceTo(time)
            _ = budget.balance
        }
        #expect(budget.balance == 0.000_015)
    }

    @Test func budgetThatHasBeenFullKeepsNoRestOfARefill() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.000_001, simulateProcessingDelay: false)
        let budget = RetryBudget(ratio: 0, burst: 1, perSecond: 0.000_5, scheduler: scheduler)
        scheduler.advanceTo(1)
        #expect(budget.takeRetry())
        scheduler.advanceTo(2)
        #expect(budget.balance == 0)
    }

    @Test(arguments: [.infinity, 1e300] as [Double], [0, .max])
    func refillBeyondMeasureFillsTheBudget(rate: Double, burst: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let budget = RetryBudget(ratio: 1, burst: burst, perSecond: rate, scheduler: scheduler)
        scheduler.advanceTo(1_000_000_000)
        budget.recordCall()
        #expect(budget.balance >= 0)
        #expect(taken(budget, attempts: 3) <= burst)
    }

    @Test func aTokenIsSpentOnce() throws {
        let budget = RetryBudget(ratio: 0.25, burst: 1_000)
        let spent = Guarded(0)
        try runConcurrently(threads: 8) { _ in
            let taken = (0..<500).count { _ in budget.takeRetry() }
            spent.withLock { $0 += taken }
        }
        #expect(spent.withLock { $0 } == 1_000)
        try runConcurrently(threads: 8) { _ in
            var taken = 0
            for _ in 0..<400 {
                budget.recordCall()
                taken += budget.takeRetry() ? 1 : 0
            }
            spent.withLock { $0 += taken }
        }
        // The 3 200 calls added 800 tokens.
        #expect(Double(spent.withLock { $0 }) + budget.balance == 1_800)
    }

    @Test func ratioInPercentStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(ratio: 10)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains(
                "A ratio is the share of a token that each call adds, from 0 to 1: "
                    + "0.1 allows one retry for ten calls (RetryBudget, ratio: 10.0)"))
    }

    @Test func ratioOfNaNStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(ratio: .nan)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("(RetryBudget, ratio: nan)"))
    }

    @Test func negativeRefillStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(ratio: 0, perSecond: -1, scheduler: TestScheduler(initialClock: 0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains("A rate is a number of tokens per second, not less than 0 (RetryBudget, perSecond: -1.0)"))
    }

    @Test func negativeBurstStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(ratio: 0.5, burst: -3)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A count can't be negative (RetryBudget, burst: -3)"))
    }
}
