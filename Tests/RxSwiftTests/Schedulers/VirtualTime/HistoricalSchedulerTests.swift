import RxSwift
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct HistoricalSchedulerTests {
    let log = Log()

    private func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: seconds)
    }

    @Test func runsInOrderOfDates() {
        let scheduler = HistoricalScheduler()
        func action(_ name: String) -> any Disposable {
            log("\(name)@\(Int(scheduler.clock.timeIntervalSince1970))")
            return Disposables.create()
        }
        _ = scheduler.scheduleAbsoluteVirtual((), time: date(10)) { action("a") }
        _ = scheduler.scheduleRelative((), dueTime: .seconds(5)) { action("b") }
        _ = scheduler.schedule(()) { action("c") }
        scheduler.start()
        #expect(log.text == "c@0 b@5 a@10")
    }

    @Test func jobScheduledForNowDoesNotAdvanceClock() {
        // Near this date, a `Date` distinguishes nanoseconds.
        let start = Date(timeIntervalSinceReferenceDate: 0)
        let scheduler = HistoricalScheduler(initialClock: start)
        _ = scheduler.schedule(()) {
            log("ran")
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.text == "ran" && scheduler.clock == start)
    }

    @Test func nowIsTheClock() {
        let scheduler = HistoricalScheduler(initialClock: date(100))
        #expect(scheduler.now == date(100))
        scheduler.advanceTo(date(125))
        #expect(scheduler.now == date(125))
        scheduler.sleep(5)
        #expect(scheduler.clock == date(130))
    }

    @Test func keepsTheOrderOfSchedulingAtTheSameDate() {
        let scheduler = HistoricalScheduler()
        for index in 0..<5 {
            _ = scheduler.scheduleAbsoluteVirtual((), time: date(10)) {
                log(index)
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(log.text == "0 1 2 3 4")
    }
}
