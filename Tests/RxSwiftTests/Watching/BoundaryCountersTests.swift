import TestSupport
import Testing

@testable import RxSwift

// In processes of their own: the switch belongs to everyone.
struct BoundaryCountersTests {
    private static func boundary(_ name: String) -> Counters.Boundary? {
        Counters.snapshot().boundaries.first { $0.name == name }
    }

    @Test func thereAreNoneWhileNobodyCounts() async {
        await #expect(processExitsWith: .success) {
            precondition(BoundaryCounters.register("hop", bound: 1) == nil)
            Counters.isCounting = true
            precondition(BoundaryCounters.register("hop", bound: 1) != nil)
            Counters.isCounting = false
            precondition(!Counters.isCounting && BoundaryCounters.register("hop", bound: 1) == nil)
        }
    }

    @Test func countsWhatWaitsPausesAndIsDropped() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let counters = BoundaryCounters.register("hop", bound: 4)!
            counters.entered(3)
            counters.paused()
            counters.left()
            counters.dropped(2)
            counters.entered()
            precondition(
                Self.boundary("hop")
                    == Counters.Boundary(
                        name: "hop", bound: 4, live: 1, depth: 3, highWater: 3, pauses: 1, drops: 2))
        }
    }

    @Test func thoseOfOneNameAndBoundAreOneRow() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let one = BoundaryCounters.register("hop", bound: 4)!, other = BoundaryCounters.register("hop", bound: 4)!
            let unbounded = BoundaryCounters.register("hop", bound: nil)!
            one.entered(3)
            other.entered(2)
            unbounded.entered(9)
            precondition(Counters.snapshot().boundaries.map(\.bound) == [4, nil])
            precondition(Counters.snapshot().boundaries.map(\.depth) == [5, 9])
            precondition(Counters.snapshot().boundaries.map(\.highWater) == [3, 9])
        }
    }

    @Test func whatWasCountedStaysWhenABoundaryGoesAndWhatWaitedDoesNot() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            do {
                let counters = BoundaryCounters.register("hop", bound: 4)!
                counters.entered(3)
                counters.paused()
                counters.dropped()
            }
            precondition(
                Self.boundary("hop")
                    == Counters.Boundary(
                        name: "hop", bound: 4, live: 0, depth: 0, highWater: 3, pauses: 1, drops: 1))
        }
    }

    @Test func countsExactlyWhileThreadsCountAtOnce() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let shared = BoundaryCounters.register("shared", bound: nil)!
            try runConcurrently(threads: 8) { _ in
                for _ in 0..<1_000 {
                    let own = BoundaryCounters.register("own", bound: nil)
                    own?.dropped()
                    shared.entered()
                    shared.paused()
                    shared.left()
                    _ = Counters.isCounting
                }
                _ = Counters.snapshot()
            }
            let shown = Self.boundary("shared")
            precondition(shown?.depth == 0 && shown?.pauses == 8_000 && (1...8).contains(shown?.highWater ?? 0))
            precondition(Self.boundary("own")?.drops == 8_000 && Self.boundary("own")?.live == 0)
        }
    }
}
