import Dispatch
import RxSwift
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct SchedulerTimeTests {
    private static let real = SchedulerRow.all(.timed, without: .virtual)

    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    @Test("nothing is early", arguments: real)
    func early(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let scheduler = try trial.timed
        let early = Guarded<[Int]>([])
        let spans = [0, 1, 50, 999, 1_000, 3_000, 10_000]
        for microseconds in spans {
            let begin = now
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(microseconds)) { _ in
                if now < begin + UInt64(microseconds) * 1_000 { early.withLock { $0.append(microseconds) } }
                trial.end()
                return Disposables.create()
            }
        }
        try trial.wait(ends: spans.count)
        #expect(early.withLock { $0 } == [])
    }

    @Test("a negative span counts as zero", arguments: SchedulerRow.all(.timed))
    func negative(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let scheduler = try trial.timed
        for span in [RxTimeInterval.seconds(-1), .milliseconds(-1), .nanoseconds(0)] {
            _ = scheduler.scheduleRelative((), dueTime: span) { _ in
                trial.end()
                return Disposables.create()
            }
        }
        try trial.wait(ends: 3)
    }

    @Test("timers run in the order of their deadlines", arguments: SchedulerRow.all([.timed, .fifo]))
    func deadlines(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        nonisolated(unsafe) let scheduler = try trial.timed
        var step: UInt64 = 30
        var order: [UInt64] = []
        // If creating the timers took too long, repeats with deadlines farther apart.
        for _ in 0..<6 {
            let (ran, took) = (Guarded<[UInt64]>([]), Guarded(UInt64.max))
            // On a serial scheduler, no timer runs before this action has created them all.
            trial.schedule { [step] in
                let begin = now
                for place in [2, 0, 1] as [UInt64] {
                    _ = scheduler.scheduleRelative((), dueTime: .milliseconds(Int(place * step))) { _ in
                        ran.withLock { $0.append(place) }
                        trial.end()
                        return Disposables.create()
                    }
                }
                took.withLock { $0 = now - begin }
            }
            try trial.wait(ends: 3)
            order = ran.withLock { $0 }
            if order == [0, 1, 2] || took.withLock({ $0 }) < step * 1_000_000 / 3 { break }
            step *= 2
        }
        #expect(order == [0, 1, 2])
    }

    @Test("timers of one span run in the order of scheduling", arguments: SchedulerRow.all([.timed, .fifo]))
    func ties(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let scheduler = try trial.timed
        let ran = Guarded<[Int]>([])
        for index in 0..<200 {
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(5)) { _ in
                ran.withLock { $0.append(index) }
                trial.end()
                return Disposables.create()
            }
        }
        try trial.wait(ends: 200)
        #expect(ran.withLock { $0 } == Array(0..<200))
    }

    @Test("a periodic action receives its own result until it disposes of itself", arguments: SchedulerRow.all(.timed))
    func periodic(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let scheduler = try trial.timed
        let log = Log()
        let tracker = LifetimeTracker()
        let periodic = SingleAssignmentDisposable()
        let isMade = DispatchSemaphore(value: 0)
        periodic.setDisposable(
            scheduler.schedulePeriodic(0, startAfter: .milliseconds(1), period: .milliseconds(1)) {
                [held = tracker.make()] count in
                // On a busy machine, the timer may tick four times before `periodic` is set.
                if count == 0 { _ = isMade.wait(timeout: .now() + 30) }
                log(count)
                if count == 3 {
                    periodic.dispose()
                    trial.end()
                }
                return held.value + count + 1
            })
        isMade.signal()
        try trial.wait()
        // The wait exceeds the period, so a further tick would arrive.
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(5)) { _ in
            trial.end()
            return Disposables.create()
        }
        try trial.wait()
        #expect(log.text == "0 1 2 3")
        expectSoon { tracker.live == 0 }
    }

    @Test("no tick of a period is early", arguments: real)
    func ticks(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let scheduler = try trial.timed
        let times = Guarded<[UInt64]>([])
        let period: UInt64 = 2_000_000
        let begin = now
        let periodic = scheduler.schedulePeriodic((), startAfter: .milliseconds(4), period: .milliseconds(2)) { _ in
            times.withLock { $0.append(now) }
            trial.end()
        }
        try trial.wait(ends: 20)
        periodic.dispose()
        for (index, time) in times.withLock({ $0.prefix(20) }).enumerated() {
            #expect(time >= begin + 2 * period + UInt64(index) * period, "tick \(index) is early")
        }
    }

    @Test("ticks due while an action runs become one", arguments: real)
    func coalescing(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let scheduler = try trial.timed
        let (blocked, period): (UInt64, UInt64) = (30_000_000, 2_000_000)
        let begin = now
        let ticks = Guarded(0)
        let periodic = scheduler.schedulePeriodic(true, startAfter: .nanoseconds(0), period: .milliseconds(2)) {
            isFirst in
            if isFirst { pause(milliseconds: 30) }
            ticks.withLock { $0 += 1 }
            trial.end()
            return false
        }
        try trial.wait(ends: 4)
        periodic.dispose()
        let passed = now - begin
        // The limit includes the first tick, and one tick for all missed ticks.
        #expect(UInt64(ticks.withLock { $0 }) <= (passed - blocked) / period + 2)
    }

    @Test("the calls of a periodic action do not overlap", arguments: SchedulerRow.all(.timed))
    func overlap(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let place = Overlap()
        let periodic = SingleAssignmentDisposable()
        periodic.setDisposable(
            try trial.timed.schedulePeriodic(1, startAfter: .nanoseconds(0), period: .microseconds(10)) { count in
                place.pass()
                trial.end()
                if count == 50 { periodic.dispose() }
                return count + 1
            })
        try trial.wait(ends: 50)
        #expect(place.found == 0)
    }

    @Test("the clock shows the time of day", arguments: real)
    func clock(_ row: SchedulerRow) throws {
        let before = Date()
        let shown = try SchedulerTrial(row).timed.now
        #expect(before <= shown && shown <= Date())
    }
}
