import RxSwift
import TestSupport
import Testing

@testable import RxResilience

@Suite struct RetryPolicyTests {
    private func pauses(_ policy: RetryPolicy, seed: UInt64 = 1, count: Int = 6) -> [Int] {
        var pauses = RetryPauses(policy, Seeded(seed))
        return (0..<count).map { _ in pauses.next() / 1_000_000 }
    }

    private func exponential(_ jitter: RetryPolicy.Jitter, factor: Double = 2) -> RetryPolicy {
        .exponential(from: .milliseconds(100), limit: .milliseconds(1_000), factor: factor, jitter: jitter)
    }

    @Test func theCeilingGrowsUpToTheLimit() {
        #expect(pauses(exponential(.none)) == [100, 200, 400, 800, 1_000, 1_000])
        #expect(pauses(.every(.milliseconds(30)), count: 3) == [30, 30, 30])
        #expect(pauses(.atOnce(), count: 3) == [0, 0, 0])
    }

    @Test func aPauseFollowsFromTheNumberOfFailures() {
        func pause(_ policy: RetryPolicy, _ failures: Int, seed: UInt64 = 1) -> Int {
            var generator = Seeded(seed)
            guard case .nanoseconds(let pause) = policy.pause(afterFailures: failures, using: &generator) else {
                return -1
            }
            return pause / 1_000_000
        }
        #expect((1...6).map { pause(exponential(.none), $0) } == [100, 200, 400, 800, 1_000, 1_000])
        #expect([.min, 0, 1, .max].map { pause(exponential(.none), $0) } == [100, 100, 100, 1_000])
        #expect(pause(exponential(.none, factor: .infinity), 2) == 1_000)
        #expect(pause(.atOnce(), 5) == 0)
        for seed in 0..<50 as Range<UInt64> {
            #expect((0...400).contains(pause(exponential(.full), 3, seed: seed)))
            #expect((200...400).contains(pause(exponential(.equal), 3, seed: seed)))
            #expect((100...400).contains(pause(exponential(.decorrelated), 3, seed: seed)))
        }
    }

    @Test func aFactorBelowOneMakesPausesShorter() {
        #expect(pauses(exponential(.none, factor: 0.5), count: 3) == [100, 50, 25])
        #expect(pauses(exponential(.none, factor: 0), count: 3) == [100, 0, 0])
    }

    @Test(arguments: [.none, .full, .equal, .decorrelated] as [RetryPolicy.Jitter])
    func zeroPauseStaysZeroWithAnyJitter(jitter: RetryPolicy.Jitter) {
        var generator = Seeded(1)
        let policy = RetryPolicy.every(.seconds(0), jitter: jitter)
        #expect(policy.pause(afterFailures: 1, using: &generator) == .nanoseconds(0))
        #expect(pauses(policy, count: 3) == [0, 0, 0])
    }

    @Test func limitAppliesToFirstPause() {
        let policy = RetryPolicy.exponential(from: .seconds(5), limit: .milliseconds(300), jitter: .none)
        #expect(pauses(policy, count: 2) == [300, 300])
    }

    @Test(arguments: 0..<50) func chanceStaysWithinTheBounds(seed: UInt64) {
        let ceilings = [100, 200, 400, 800, 1_000, 1_000]
        for (pause, ceiling) in zip(pauses(exponential(.full), seed: seed), ceilings) {
            #expect((0...ceiling).contains(pause))
        }
        for (pause, ceiling) in zip(pauses(exponential(.equal), seed: seed), ceilings) {
            #expect((ceiling / 2...ceiling).contains(pause))
        }
        var last = 100
        for pause in pauses(exponential(.decorrelated, factor: 3), seed: seed, count: 20) {
            #expect((100...min(3 * last + 3, 1_000)).contains(pause))
            last = pause
        }
    }

    private struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    @Test(arguments: [.none, .full, .equal] as [RetryPolicy.Jitter])
    func chanceReachesUpToTheCeiling(jitter: RetryPolicy.Jitter) {
        let ceilings = [100, 200, 400, 800, 1_000]
        var (highest, pauses) = (Highest(), RetryPauses(exponential(jitter), Highest()))
        for (index, ceiling) in ceilings.enumerated() {
            let pause = exponential(jitter).pause(afterFailures: index + 1, using: &highest)
            #expect(pause == .nanoseconds(ceiling * 1_000_000))
            #expect(pauses.next() == ceiling * 1_000_000)
        }
    }

    @Test func decorrelatedPauseMayExceedPreviousPause() {
        let seeds = 0..<50 as Range<UInt64>
        // The first pause is at most 200 ms. A longer pause shows that the limit has grown.
        #expect(seeds.contains { pauses(exponential(.decorrelated), seed: $0).contains { $0 > 200 } })
    }

    @Test func negativeFactorStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryPolicy.exponential(from: .seconds(1), limit: .seconds(9), factor: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A factor multiplies the pause and can't be negative (RetryPolicy, factor: -1.0)"))
    }

    @Test func jitterDependsOnSeed() {
        for jitter in [RetryPolicy.Jitter.full, .equal, .decorrelated] {
            #expect(pauses(exponential(jitter), seed: 1) == pauses(exponential(jitter), seed: 1))
            #expect(pauses(exponential(jitter), seed: 1) != pauses(exponential(jitter), seed: 2))
        }
    }

    @Test(
        arguments: [.infinity, 0, 1e300] as [Double], [.never, .seconds(-1), .seconds(0)] as [RxTimeInterval])
    func extremeParametersDoNotTrap(factor: Double, span: RxTimeInterval) {
        for jitter in [RetryPolicy.Jitter.none, .full, .equal, .decorrelated] {
            let policy = RetryPolicy.exponential(from: span, limit: .never, factor: factor, jitter: jitter)
            #expect(pauses(policy).allSatisfy { $0 >= 0 })
        }
    }
}
