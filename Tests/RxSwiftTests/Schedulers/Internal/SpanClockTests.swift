import Foundation
import RxSwift
import Testing

struct SpanClockTests {
    @Test func overflowingTimeIsClamped() {
        #expect(5.advanced(bySaturating: 3) == 8)
        #expect((Int.max - 5).advanced(bySaturating: 6) == .max)
    }

    @Test func overflowingSpanIsClamped() {
        #expect(3.span(since: 5) == -2)
        #expect(Int.max.span(since: -1) == .max)
        #expect((-2).span(since: .max) == .min)
    }

    /// In 2018, a `Date` is exact only to a tenth of a microsecond, so spans must be rounded.
    @Test func spansOfDateClockAreWholeMicroseconds() {
        func now(_ milliseconds: Int) -> Int {
            let date = Date(timeIntervalSinceReferenceDate: 550_000_000 + Double(milliseconds) / 1e3)
            return SpanClock(HistoricalScheduler(initialClock: date)).now
        }
        let begin = now(0)
        #expect((0..<1_000).allSatisfy { now($0).span(since: begin) == $0 * 1_000_000 })
    }

    @Test(arguments: [1e10, 1e15]) func overflowingDateIsClamped(seconds: TimeInterval) {
        func now(_ seconds: TimeInterval) -> Int {
            SpanClock(HistoricalScheduler(initialClock: Date(timeIntervalSinceReferenceDate: seconds))).now
        }
        #expect(now(seconds) == .max)
        #expect(now(-seconds) == .min)
    }
}
