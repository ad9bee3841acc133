import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwiftExt

struct ExponentialBackoffTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func pauses(
        count: Int = 8, initial: RxTimeInterval = .seconds(1), multiplier: Double = 2,
        limit: RxTimeInterval = .seconds(20),
        _ jitter: ExponentialBackoff.Jitter, seed: UInt64 = 7
    ) -> [Double] {
        let backoff = ExponentialBackoff(
            maxCount: 1, initial: initial, multiplier: multiplier, limit: limit, jitter: jitter)
        var pauses = BackoffPauses(backoff, Seeded(seed))
        return (0..<count).map { _ in
            guard case .nanoseconds(let count) = pauses.next() else { return -1 }
            return Double(count) / 1e9
        }
    }

    private func retrying(
        _ backoff: ExponentialBackoff, shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Outcome<Int> {
        let source = scheduler.cold("{10}1{9}#")
        let scheduler = scheduler
        let observer = scheduler.start {
            source.retry(backoff: backoff, scheduler: scheduler, using: Seeded(7), shouldRetry: shouldRetry)
        }
        return Outcome(observer, source)
    }

    @Test func withoutJitterPausesGrowUpToTheLimit() {
        #expect(pauses(count: 7, .none) == [1, 2, 4, 8, 16, 20, 20])
        #expect(pauses(count: 4, initial: .milliseconds(500), multiplier: 3, .none) == [0.5, 1.5, 4.5, 13.5])
    }

    @Test(arguments: [.milliseconds(1_500), .microseconds(1_500_000), .nanoseconds(1_500_000_000)] as [RxTimeInterval])
    func initialPauseIsReadInEachUnit(initial: RxTimeInterval) {
        #expect(pauses(count: 2, initial: initial, .none) == [1.5, 3])
    }

    @Test func withoutALimitPausesGrowOn() {
        #expect(pauses(count: 7, limit: .never, .none) == [1, 2, 4, 8, 16, 32, 64])
    }

    @Test func aMultiplierBelowOneMakesPausesShorter() {
        #expect(pauses(count: 3, multiplier: 0.5, .none) == [1, 0.5, 0.25])
        #expect(pauses(count: 3, multiplier: 0, .none) == [1, 0, 0])
        #expect(pauses(count: 3, multiplier: -1, .none) == [1, 1, 1])
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func fullJitterStaysBelowTheCeiling(seed: UInt64) {
        for (pause, ceiling) in zip(pauses(.full, seed: seed), [1.0, 2, 4, 8, 16, 20, 20, 20]) {
            #expect((0...ceiling).contains(pause))
        }
        #expect(Set(pauses(.full, seed: seed)).count == 8)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func equalJitterKeepsHalfOfTheCeiling(seed: UInt64) {
        for (pause, ceiling) in zip(pauses(.equal, seed: seed), [1.0, 2, 4, 8, 16, 20, 20, 20]) {
            #expect((ceiling / 2...ceiling).contains(pause))
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func decorrelatedJitterGrowsFromThePauseBefore(seed: UInt64) {
        var last = 1.0
        for pause in pauses(multiplier: 3, .decorrelated, seed: seed) {
            #expect((1...min(20, last * 3)).contains(pause))
            last = pause
        }
    }

    @Test func decorrelatedPauseMayExceedPreviousPause() {
        let seeds = 0..<50 as Range<UInt64>
        // The first pause is at most 3 s. A longer pause shows that the limit has grown.
        #expect(seeds.contains { pauses(multiplier: 3, .decorrelated, seed: $0).contains { $0 > 3 } })
    }

    @Test func jitterDependsOnSeed() {
        #expect(pauses(.full, seed: 1) == pauses(.full, seed: 1))
        #expect(pauses(.full, seed: 1) != pauses(.full, seed: 2))
    }

    @Test(arguments: [.none, .full, .equal, .decorrelated] as [ExponentialBackoff.Jitter])
    func oddArgumentsAreNoTrap(jitter: ExponentialBackoff.Jitter) {
        let century = 3_155_760_000.0
        #expect(pauses(initial: .seconds(-5), jitter).allSatisfy { $0 == 0 })
        #expect(pauses(initial: .seconds(50), jitter).allSatisfy { (0...20).contains($0) })
        #expect(pauses(multiplier: -1, jitter).allSatisfy { (0...1).contains($0) })
        #expect(pauses(multiplier: .nan, jitter).allSatisfy { (0...1).contains($0) })
        #expect(pauses(multiplier: .infinity, limit: .never, jitter).allSatisfy { (0...century).contains($0) })
        #expect(pauses(initial: .never, limit: .never, jitter).allSatisfy { (0...century).contains($0) })
        #expect(pauses(initial: .seconds(0), multiplier: .infinity, jitter).allSatisfy { $0 == 0 })
    }

    @Test func theSourceIsSubscribedAfterThePauses() {
        let backoff = ExponentialBackoff(maxCount: 4, initial: .seconds(10), limit: .seconds(20), jitter: .none)
        retrying(backoff)
            .expect("{10}1{29}1{39}1{39}1{9}#", subscribed: "^{19}!", "{30}^{19}!", "{70}^{19}!", "{110}^{19}!")
    }

    @Test func chanceIsTheGenerators() {
        let backoff = ExponentialBackoff(maxCount: 3, initial: .seconds(100), limit: .seconds(200))
        var generator = Seeded(7)
        let first = Int(Double.random(in: 0...100, using: &generator).rounded())
        let second = Int(Double.random(in: 0...200, using: &generator).rounded())
        let result = retrying(backoff)
        result.expect(
            "{10}1{9}{\(first)}{10}1{9}{\(second)}{10}1{9}#",
            subscribed: "^{19}!", "{20}{\(first)}^{19}!", "{40}{\(first + second)}^{19}!")
    }

    @Test func thePredicateEndsIt() {
        let backoff = ExponentialBackoff(maxCount: 4, initial: .seconds(10), limit: .seconds(20), jitter: .none)
        retrying(backoff) { !($0 is TestError) }.expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func thePredicateIsNotAskedAfterTheLastAttempt() {
        let log = Log()
        let backoff = ExponentialBackoff(maxCount: 2, initial: .seconds(10), limit: .seconds(20), jitter: .none)
        _ = retrying(backoff) { _ in
            log("asked")
            return true
        }
        #expect(log.text == "asked")
    }

    @Test func eachSubscriptionRepeatsSamePauses() {
        let backoff = ExponentialBackoff(maxCount: 3, initial: .seconds(10), limit: .seconds(100), jitter: .full)
        let source = scheduler.cold("#")
        let retrying = source.retry(backoff: backoff, scheduler: scheduler, using: Seeded(3))
        let (first, second) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        _ = retrying.subscribe(first)
        _ = retrying.subscribe(second)
        scheduler.start()
        #expect(first.events.map(\.time) == second.events.map(\.time))
    }
}
