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

    @Test func chanceTakesPart() {
        for jitter in [RetryPolicy.Jitter.full, .equal, .decorrelated] {
            #expect(pauses(exponential(jitter), seed: 1) == pauses(exponential(jitter), seed: 1))
            #expect(pauses(exponential(jitter), seed: 1) != pauses(exponential(jitter), seed: 2))
        }
    }

    @Test(
        arguments: [.nan, .infinity, -1, 0, 1e300] as [Double], [.never, .seconds(-1), .seconds(0)] as [RxTimeInterval])
    func whatIsBeyondMeasureIsNoTrap(factor: Double, span: RxTimeInterval) {
        for jitter in [RetryPolicy.Jitter.none, .full, .equal, .decorrelated] {
            let policy = RetryPolicy.exponential(from: span, limit: .never, factor: factor, jitter: jitter)
            #expect(pauses(policy).allSatisfy { $0 >= 0 })
        }
    }
}
