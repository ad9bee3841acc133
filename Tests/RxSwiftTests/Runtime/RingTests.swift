import TestSupport
import Testing

@testable import RxSwift

@Suite struct RingTests {
    @Test func ringKeepsOrderAcrossGrowthAndWrap() {
        var ring = Ring<Int>()
        var taken: [Int] = []
        var next = 0
        for round in 1...40 {
            for _ in 0..<round {
                ring.append(next)
                next += 1
            }
            for _ in 0..<(round - 1) { taken.append(ring.removeFirst()) }
        }
        while !ring.isEmpty { taken.append(ring.removeFirst()) }
        #expect(taken == Array(0..<next))
    }

    @Test func releasedRingFreesElements() {
        let tracker = LifetimeTracker()
        do {
            var ring = Ring<LifetimeTracker.Tracked>()
            for value in 0..<6 { ring.append(tracker.make(value)) }
            for _ in 0..<5 { _ = ring.removeFirst() }
            for value in 6..<12 { ring.append(tracker.make(value)) }
            #expect(tracker.live == 7)
        }
        #expect(tracker.live == 0)
    }

    @Test func aLongQueueThatHasRunEmptyHoldsNoMemory() {
        var ring = Ring<Int>()
        for value in 0..<5000 { ring.append(value) }
        while !ring.isEmpty { _ = ring.removeFirst() }
        #expect(ring.capacity == 0)
        ring.append(1)
        #expect(ring.removeFirst() == 1)
    }

    #if canImport(Glibc)
        // Skipped under a sanitizer, which keeps freed memory.
        @Test(.enabled(if: !isSanitized)) func outgrownMemoryIsFreed() async {
            await #expect(processExitsWith: .success) {
                let before = residentBytes()
                for _ in 0..<100 {
                    var ring = Ring<Int>()
                    for value in 0..<40_000 { ring.append(value) }
                    precondition(ring.count == 40_000)
                }
                precondition(residentBytes() - before < 20_000_000)
            }
        }
    #endif
}
