import RxSwift
import RxTest
import TestSupport
import Testing

struct RangeTests {
    @Test func rangeSendsCountNumbers() {
        #expect(seen(Observable.range(start: 3, count: 3)) == "3 4 5 completed")
        #expect(seen(Observable.range(start: 3, count: 0)) == "completed")
    }

    @Test func rangeSendsOneNumberPerSchedulerStep() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.start { Observable.range(start: 1, count: 2, scheduler: scheduler) }.expect("-12|")
    }

    @Test func stopsWithTheDisposal() {
        #expect(seen(Observable.range(start: 0, count: .max).take(2)) == "0 1 completed")
    }

    @Test func rangeReachesTheGreatestNumber() {
        #expect(seen(Observable.range(start: Int.max - 1, count: 2)) == "\(Int.max - 1) \(Int.max) completed")
    }

    @Test func mergedRangesTakeTurns() {
        let sources = Observable.merge(Observable.range(start: 1, count: 2), Observable.range(start: 11, count: 2))
        #expect(seen(sources) == "1 11 2 12 completed")
    }

    @Test func trapsOnANegativeCount() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.range(start: 0, count: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("count can't be negative (range, count: -1)"))
    }

    @Test func trapsOnNumbersBeyondTheGreatest() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.range(start: Int.max - 1, count: 3)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("overflow of count (range, count: 3)"))
    }
}
