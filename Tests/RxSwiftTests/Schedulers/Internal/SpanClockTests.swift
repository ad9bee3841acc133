import Foundation
import RxSwift
import Testing

struct SpanClockTests {
    @Test func aMomentBehindTheLastOneIsTheLast() {
        #expect(5.advanced(bySaturating: 3) == 8)
        #expect((Int.max - 5).advanced(bySaturating: 6) == .max)
    }

    @Test func aSpanThatIsTooLongIsTheLongest() {
        #expect(3.span(since: 5) == -2)
        #expect(Int.max.span(since: -1) == .max)
        #expect((-2).span(since: .max) == .min)
    }

    @Test(arguments: [1e10, 1e15]) func aDateBeyondAllMomentsIsTheLastOfThem(seconds: TimeInterval) {
        func now(_ seconds: TimeInterval) -> Int {
            SpanClock(HistoricalScheduler(initialClock: Date(timeIntervalSinceReferenceDate: seconds))).now
        }
        #expect(now(seconds) == .max)
        #expect(now(-seconds) == .min)
    }
}
