import Dispatch
import TestSupport
import Testing

@testable import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct SchedulerTimersTests {
    typealias Kind = DispatchSchedulersTests.Kind

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    @Test(arguments: Kind.allCases)
    func firesNothingEarly(kind: Kind) throws {
        nonisolated(unsafe) let scheduler = kind.make()
        let early = Guarded(0)
        let done = DispatchSemaphore(value: 0)
        for index in 0..<300 {
            let span = index * 37 % 20_000
            let due = Self.now + UInt64(span) * 1_000
            _ = scheduler.scheduleRelative(due, dueTime: .microseconds(span)) { due in
                if Self.now < due { early.withLock { $0 += 1 } }
                done.signal()
                return Disposables.create()
            }
        }
        for _ in 0..<300 { try wait(for: done) }
        #expect(early.withLock { $0 } == 0)
    }

    /// The timers are disposed of at about their due time.
    @Test(arguments: DispatchSchedulersTests.serial)
    func timerDisposedOnItsSchedulerDoesNotRun(kind: Kind) throws {
        nonisolated(unsafe) let scheduler = kind.make()
        let runs = Guarded(0)
        let late = Guarded(0)
        let done = DispatchSemaphore(value: 0)
        for round in 0..<200 {
            nonisolated(unsafe) let timers = (0..<3).map { place in
                scheduler.scheduleRelative((), dueTime: .microseconds(200 + round % 20 * 10 + place)) { _ in
                    runs.withLock { $0 += 1 }
                    return Disposables.create()
                }
            }
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(300)) { _ in
                timers.forEach { $0.dispose() }
                let before = runs.withLock { $0 }
                return scheduler.scheduleRelative((), dueTime: .microseconds(200)) { _ in
                    late.withLock { $0 += runs.withLock { $0 } - before }
                    done.signal()
                    return Disposables.create()
                }
            }
            try wait(for: done)
        }
        #expect(late.withLock { $0 } == 0)
    }

    @Test(arguments: Kind.allCases)
    func freesItsActionOnceItHasRun(kind: Kind) throws {
        let scheduler = kind.make()
        let tracker = LifetimeTracker()
        let gone = DispatchSemaphore(value: 0)
        let timer = scheduler.scheduleRelative(tracker.make { gone.signal() }, dueTime: .milliseconds(1)) { _ in
            Disposables.create()
        }
        try wait(for: gone)
        withExtendedLifetime(timer) {}
    }

    @Test(arguments: Kind.allCases)
    func timerThreadRunsAndFreesNoUserObject(kind: Kind) throws {
        let scheduler = kind.make()
        let names = Log()
        let gone = DispatchSemaphore(value: 0)
        let tracker = LifetimeTracker()
        for index in 0..<200 {
            _ = scheduler.scheduleRelative(
                tracker.make {
                    names(threadName())
                    gone.signal()
                }, dueTime: .microseconds(index * 10)
            ) { held in
                names(threadName())
                return Disposables.create { _ = held }
            }
        }
        for _ in 0..<200 { try wait(for: gone) }
        #expect(!names.entries.contains("rx.timers") && names.entries.count == 400)
    }

    @Test(arguments: Kind.allCases)
    func disposalDisposesResultOfTimerAction(kind: Kind) throws {
        let scheduler = kind.make()
        let log = Log()
        let ran = DispatchSemaphore(value: 0)
        let timer = SerialDisposable()
        let scheduled = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            defer { ran.signal() }
            return Disposables.create { log("disposed") }
        }
        timer.disposable = scheduled
        try wait(for: ran)
        timer.dispose()
        let patience = DispatchTime.now() + 30
        while log.text == "" && .now() < patience { usleep(200) }
        #expect(log.text == "disposed")
    }

    /// A drift would add up over 50 ticks. Of the later ticks, the test checks the one with the least delay. The period
    /// may begin at any moment of the scheduling call, so the call is repeated until it is short.
    @Test(arguments: Kind.allCases)
    func keepsAPeriodInPhase(kind: Kind) throws {
        let scheduler = kind.make()
        let period: UInt64 = 5_000_000
        var (start, slack) = (UInt64(0), period)
        var (moments, done, ticks) = (Guarded<[UInt64]>([]), DispatchSemaphore(value: 0), Disposables.create())
        for _ in 0..<100 where slack > period / 10 {
            ticks.dispose()
            (moments, done) = (Guarded([]), DispatchSemaphore(value: 0))
            start = Self.now
            ticks = scheduler.schedulePeriodic(
                0, startAfter: .nanoseconds(Int(period)), period: .nanoseconds(Int(period))
            ) { [moments, done] count in
                moments.withLock { $0.append(Self.now) }
                if count == 60 { done.signal() }
                return count + 1
            }
            slack = Self.now - start
        }
        try wait(for: done)
        ticks.dispose()
        let seen = moments.withLock { $0 }
        for (index, moment) in seen.enumerated() {
            #expect(moment >= start + UInt64(index + 1) * period, "tick \(index) came before its moment")
        }
        let phase = seen[50...].map { ($0 - start) % period }.min()!
        #expect(phase < period / 3 + slack, "best phase \(phase) ns, of which \(slack) ns may be the scheduling's")
    }

    /// The first run lasts one and a half periods, or two and a half. A catch-up run follows at once. The next tick is
    /// due half a period later. On a busy machine this tick may be late, so the test makes several attempts, with
    /// longer periods.
    ///
    /// Serialized, because two runs that block the main actor would delay each other.
    @Test(.serialized, arguments: Kind.allCases, [3, 5] as [UInt64])
    func keepsItsPhaseAfterARunThatTookTooLong(kind: Kind, halves: UInt64) throws {
        let scheduler = kind.make()
        var (period, isKept) = (UInt64(20_000_000), false)
        for round in 0..<20 where !isKept {
            if round > 0, round.isMultiple(of: 4) { period *= 2 }
            let (moments, done) = (Guarded<[UInt64]>([]), DispatchSemaphore(value: 0))
            let ticks = scheduler.schedulePeriodic(
                0, startAfter: .nanoseconds(Int(period)), period: .nanoseconds(Int(period))
            ) { [period] count in
                let began = Self.now
                moments.withLock { $0.append(began) }
                if count == 0 { while Self.now < began + period * halves / 2 { usleep(1_000) } }
                if count == 2 { done.signal() }
                return count + 1
            }
            try wait(for: done)
            ticks.dispose()
            let seen = moments.withLock { $0 }
            isKept = seen[2] - seen[1] < period * 3 / 4
        }
        #expect(isKept)
    }

    /// As with DispatchSource, all missed ticks become one catch-up run. If a tick is due just before this run, the
    /// last missed tick is unknown, and the test repeats the round.
    @Test(arguments: Kind.allCases)
    func makesOneRunOfTicksMissed(kind: Kind) throws {
        let scheduler = kind.make()
        var (period, isKnown) = (UInt64(20_000_000), false)
        for round in 0..<20 where !isKnown {
            if round > 0, round.isMultiple(of: 4) { period *= 2 }
            let (moments, ended, done) = (Guarded<[UInt64]>([]), Guarded<UInt64>(0), DispatchSemaphore(value: 0))
            let start = Self.now
            let ticks = scheduler.schedulePeriodic(
                0, startAfter: .nanoseconds(Int(period)), period: .nanoseconds(Int(period))
            ) { [period] count in
                let began = Self.now
                moments.withLock { $0.append(began) }
                if count == 0 {
                    // The run lasts beyond the third tick, even if it began late.
                    while Self.now < began + 5 * period / 2 { usleep(1_000) }
                    ended.withLock { $0 = Self.now }
                }
                if count == 3 { done.signal() }
                return count + 1
            }
            let slack = Self.now - start
            try wait(for: done)
            ticks.dispose()
            let (seen, end) = (moments.withLock { $0 }, ended.withLock { $0 })
            #expect(seen[1] >= seen[0] + 5 * period / 2)
            let missed = (seen[1] - start) / period
            isKnown = end >= start + missed * period + slack
            // The run after the catch-up run must not begin before the next tick.
            if isKnown { #expect(seen[2] >= start + (missed + 1) * period) }
        }
        #expect(isKnown)
    }

    @Test(arguments: Kind.allCases)
    func periodDisposedAtAnyTimeIsFreed(kind: Kind) throws {
        let scheduler = kind.make()
        let tracker = LifetimeTracker()
        for index in 0..<100 {
            let ticks = scheduler.schedulePeriodic(
                tracker.make(), startAfter: .nanoseconds(0), period: .microseconds(index)
            ) { $0 }
            usleep(UInt32(index % 7) * 20)
            ticks.dispose()
        }
        let patience = DispatchTime.now() + 30
        while tracker.live > 0 && .now() < patience { usleep(500) }
        #expect(tracker.live == 0)
    }

    @Test(arguments: Kind.allCases)
    func timerDueNeverIsFreed(kind: Kind) {
        let scheduler = kind.make()
        let tracker = LifetimeTracker()
        _ = scheduler.scheduleRelative(tracker.make(), dueTime: .never) { _ in Disposables.create() }
        _ = scheduler.schedulePeriodic(tracker.make(), startAfter: .never, period: .seconds(1)) { $0 }
        #expect(tracker.live == 0)
    }

    private static let lenient: [@Sendable () -> any SchedulerType] = [
        { SerialDispatchQueueScheduler(internalSerialQueueName: "leeway", leeway: .milliseconds(100)) },
        {
            SerialDispatchQueueScheduler(
                queue: DispatchQueue(label: "target"), internalSerialQueueName: "leeway", leeway: .milliseconds(100))
        },
        { SerialDispatchQueueScheduler(qos: .userInitiated, leeway: .milliseconds(100)) },
        { ConcurrentDispatchQueueScheduler(queue: DispatchQueue(label: "leeway"), leeway: .milliseconds(100)) },
    ]

    /// The leeway moves timers to shared due times. Timers with the same due time run in the order of their starts.
    @Test(arguments: lenient.indices, [false, true])
    func gathersTimersWithinTheirLeeway(_ index: Int, isPeriodic: Bool) throws {
        let scheduler = Self.lenient[index]()
        let spans = Guarded<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        let start = Self.now
        let timers = (1...20).reversed().map { span -> any Disposable in
            let note: @Sendable (Int) -> Int = { span in
                spans.withLock { $0.append(span) }
                done.signal()
                return span
            }
            if isPeriodic {
                return scheduler.schedulePeriodic(
                    span, startAfter: .milliseconds(span), period: .seconds(1_000), action: note)
            }
            return scheduler.scheduleRelative(span, dueTime: .milliseconds(span)) { span in
                _ = note(span)
                return Disposables.create()
            }
        }
        // All deadlines are within `stretch` nanoseconds, and shared due times are more than 50 ms apart. The timers
        // start with falling spans, so `seen` rises only where a new due time begins.
        let stretch = Self.now - start + 20_000_000
        for _ in 0..<20 { try wait(for: done) }
        let seen = spans.withLock { $0 }
        let rises = zip(seen, seen.dropFirst()).count { $0 < $1 }
        #expect(rises <= 1 + stretch / 50_000_000, "not gathered: \(seen)")
        timers.forEach { $0.dispose() }
    }

    @Test(arguments: [1, 2, 3, 100, 1 << 26, (1 << 27) - 1] as [UInt64])
    func movesNoTimerByMoreThanItsLeeway(leeway: UInt64) {
        for moment in [0, 1, 99, 1 << 26, (1 << 40) + 1, UInt64.max - 1] as [UInt64] {
            let moved = moment.within(leeway)
            #expect(moved >= moment && moved - moment <= leeway)
        }
    }

    @Test func timerDueAtOnceIgnoresLeeway() throws {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "leeway", leeway: .seconds(100_000_000))
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
        let ticks = scheduler.schedulePeriodic((), startAfter: .nanoseconds(0), period: .seconds(300_000_000)) { _ in
            _ = done.signal()
        }
        try wait(for: done)
        ticks.dispose()
    }

    @Test func periodIgnoresLeewayLongerThanItself() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "leeway", leeway: .never)
        let ticks = Guarded(0)
        let timer = scheduler.schedulePeriodic((), startAfter: .milliseconds(1), period: .milliseconds(1)) { _ in
            ticks.withLock { $0 += 1 }
        }
        #expect(comesTrue { ticks.withLock { $0 } >= 3 })
        timer.dispose()
    }

    @Test func negativeSpanIsZero() {
        let spans: [RxTimeInterval] = [.seconds(-1), .milliseconds(-1), .microseconds(.min), .nanoseconds(-1)]
        #expect(spans.map(\.nanosecondsFromZero) == [0, 0, 0, 0])
    }

    @Test func oneOfEachUnitIsConvertedToNanoseconds() {
        let spans: [RxTimeInterval] = [.seconds(1), .milliseconds(1), .microseconds(1), .nanoseconds(1)]
        #expect(spans.map(\.nanosecondsFromZero) == [1_000_000_000, 1_000_000, 1_000, 1])
    }

    @Test(arguments: Kind.allCases) func waitingTimerIsNotDisposed(kind: Kind) throws {
        let scheduler = kind.make()
        let timers = [
            scheduler.scheduleRelative((), dueTime: .seconds(1_000)) { _ in Disposables.create() },
            scheduler.schedulePeriodic((), startAfter: .seconds(1_000), period: .seconds(1)) { $0 },
            scheduler.scheduleRelative((), dueTime: .never) { _ in Disposables.create() },
            scheduler.schedulePeriodic((), startAfter: .never, period: .seconds(1)) { $0 },
        ]
        for timer in timers {
            let timer = try #require(timer as? any Cancelable)
            #expect(!timer.isDisposed)
            timer.dispose()
            #expect(timer.isDisposed)
        }
    }

    @Test func missedTicksAreOneRun() {
        let (queue, log, now) = (ManualQueue(), Log(), TimerService.now)
        // The ticks at 0, 2/5 and 4/5 of `now` are missed. The next one is due at 6/5 of `now`, after the test.
        let timer = PeriodicAction(.jobs(queue), 0, first: 0, period: now / 5 * 2, leeway: 0) { count in
            log(count)
            return count + 1
        }
        timer.start()
        #expect(queue.drain(atMost: 10))
        #expect(log.text == "0")
        timer.dispose()
    }

    @Test func periodDisposedDuringItsRunDoesNotRunAgain() {
        let (queue, log, tracker) = (ManualQueue(), Log(), LifetimeTracker())
        let subscription = SingleAssignmentDisposable()
        let timer = PeriodicAction(.jobs(queue), tracker.make(), first: 0, period: 1, leeway: 0) { state in
            log("run")
            subscription.dispose()
            return state
        }
        subscription.setDisposable(timer)
        timer.start()
        #expect(queue.drain(atMost: 10))
        #expect(log.text == "run" && timer.isDisposed && tracker.live == 0)
    }

    @Test func timerAtMultipleOfRoundingIsNotMoved() {
        #expect((127...129 as ClosedRange<UInt64>).map { $0.within(100) } == [128, 128, 192])
    }

    @Test func overflowingSpanIsClamped() {
        #expect(RxTimeInterval.seconds(18_446_744_073).nanosecondsFromZero == 18_446_744_073_000_000_000)
        let tooLong: [RxTimeInterval] = [.seconds(18_446_744_074), .milliseconds(.max), .microseconds(.max), .never]
        for span in tooLong { #expect(span.nanosecondsFromZero == .max) }
    }

    @Test func cancelledTimersAreFreedAtOnce() throws {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "million")
        let tracker = LifetimeTracker()
        for index in 0..<100_000 {
            // Each timer is cancelled before it is due, because a disposal does not free an action that has begun.
            scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(index + 1)) { _ in Disposables.create() }
                .dispose()
            if index % 10_000 == 0 { #expect(tracker.live == 0) }
        }
        #expect(tracker.live == 0)
    }

    @Test(arguments: Kind.allCases)
    func survivesARaceOfStartsAndCancels(kind: Kind) throws {
        let scheduler = kind.make()
        let runs = Guarded([Int](repeating: 0, count: 4_000))
        let kept = Guarded(0)
        let done = DispatchSemaphore(value: 0)
        let tracker = LifetimeTracker()
        try runConcurrently(threads: 4) { thread in
            for index in 0..<1_000 {
                let timer = scheduler.scheduleRelative(
                    tracker.make(thread * 1_000 + index), dueTime: .microseconds(index % 40)
                ) {
                    tracked in
                    runs.withLock { $0[tracked.value] += 1 }
                    if tracked.value % 2 == 0 { done.signal() }
                    return Disposables.create()
                }
                if index % 2 == 1 { timer.dispose() } else { kept.withLock { $0 += 1 } }
            }
        }
        for _ in 0..<kept.withLock({ $0 }) { try wait(for: done) }
        #expect(runs.withLock { $0.allSatisfy { $0 <= 1 } })
        let patience = DispatchTime.now() + 30
        while tracker.live > 0 && .now() < patience { usleep(500) }
        #expect(tracker.live == 0)
    }
}
