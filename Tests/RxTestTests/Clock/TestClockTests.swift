import RxSwift
import TestSupport
import Testing

@testable import RxTest

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct TestClockTests {
    let scheduler: TestScheduler
    let clock: TestClock
    let log = Log()

    init() {
        scheduler = TestScheduler(initialClock: 0)
        clock = TestClock(scheduler)
    }

    @discardableResult
    private func task(_ body: @escaping @Sendable (TestClock, Log) async throws -> Void) -> Task<Void, any Error> {
        Task(executorPreference: clock) { [clock, log] in try await body(clock, log) }
    }

    @Test func sleepEndsAtDeadline() {
        task { clock, log in
            try await clock.sleep(for: .seconds(3))
            log(clock.now.offset)
            try await Task.sleep(until: clock.now.advanced(by: .seconds(4)), clock: clock)
            log(clock.now.offset)
        }
        scheduler.start()
        #expect(log.text == "3.0 seconds 7.0 seconds")
        #expect(scheduler.clock == 7)
    }

    @Test func aTaskAndASequenceShareTheirTimeline() {
        let source = scheduler.createHotObservable("-a---b|", values: ["a": 1, "b": 2], from: 0)
        let observer = scheduler.createObserver(Int.self)
        Task(executorPreference: clock) { [clock] in
            for try await element in source.asObservable().values {
                try await clock.sleep(for: .seconds(2))
                observer.onNext(element)
            }
        }
        scheduler.start()
        observer.expect("---a---b", values: ["a": 1, "b": 2], from: 0)
    }

    @Test func aSleepAndATimerOfTheSameLengthEndTogether() {
        let fine = TestScheduler(initialClock: 0, resolution: 0.001)
        let clock = TestClock(fine)
        _ = Observable<Int>.timer(.milliseconds(250), scheduler: fine).subscribe(onNext: { [log] _ in
            log("timer \(fine.clock)")
        })
        Task(executorPreference: clock) { [log] in
            try await clock.sleep(for: .milliseconds(250))
            log("sleep \(fine.clock)")
        }
        fine.start()
        #expect(log.text == "timer 250 sleep 250")
    }

    @Test func sleepersWakeInTheOrderOfTheirTimes() {
        for seconds in [3, 1, 2] {
            task { clock, log in
                try await clock.sleep(for: .seconds(seconds))
                log(seconds)
            }
        }
        scheduler.start()
        #expect(log.text == "1 2 3")
    }

    @Test func aSleepUntilTheDistantFutureEndsWhenItIsCancelled() {
        let sleeper = task { clock, log in
            do {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1 << 60)))
                log("woken")
            } catch {
                log("cancelled")
            }
        }
        scheduler.scheduleAt(5) { sleeper.cancel() }
        scheduler.start()
        #expect(log.text == "cancelled")
        #expect(scheduler.clock < 10)
    }

    @Test func sleepUntilDistantFutureDoesNotAdvanceClock() {
        let sleeper = task { clock, log in
            do {
                try await clock.sleep(for: .seconds(Int64.max))
                log("woken")
            } catch {
                log("cancelled")
            }
        }
        scheduler.start()
        #expect(log.text == "" && scheduler.clock < 10)
        sleeper.cancel()
        scheduler.start()
        #expect(log.text == "cancelled" && scheduler.clock < 10)
    }

    @Test func aSleepOfMoreStepsThanAreCountedEndsWhenItIsCancelled() {
        let fine = TestScheduler(initialClock: 0, resolution: 0.001)
        let clock = TestClock(fine)
        let sleeper = Task(executorPreference: clock) { [log] in
            do {
                try await clock.sleep(for: .seconds(1 << 60))
                log("woken")
            } catch {
                log("cancelled")
            }
        }
        fine.scheduleAt(5) { sleeper.cancel() }
        fine.start()
        #expect(log.text == "cancelled")
    }

    @Test func sleepCancelledBeforeItBeginsThrows() {
        task { [scheduler] _, log in
            let sleep = ClockSleep()
            sleep.cancel()
            do {
                try await withCheckedThrowingContinuation { sleep.begin($0, until: 5, on: scheduler) }
                log("woken")
            } catch {
                log(error is CancellationError)
            }
        }
        scheduler.start()
        #expect(log.text == "true")
    }

    @Test func timeDoesNotAdvanceWhileTasksWork() {
        let counter = Counter()
        task { clock, log in
            for _ in 0..<100 { await counter.increment() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { await counter.increment() } }
            }
            log("\(await counter.count) \(clock.now.offset)")
        }
        scheduler.scheduleAt(1) { [log] in log("later") }
        scheduler.start()
        #expect(log.text == "110 0.0 seconds later")
    }

    @Test func taskResumesOnThreadOfScheduler() throws {
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let clock = TestClock(scheduler)
            let log = Log()
            let thread = currentThread()
            Task(executorPreference: clock) {
                try await clock.sleep(for: .seconds(1))
                log(currentThread() == thread)
            }
            scheduler.start()
            #expect(log.text == "true")
        }
    }

    @Test func aDeadlineThatHasComeReturnsAtOnce() {
        task { clock, log in
            try await clock.sleep(until: clock.now)
            try await clock.sleep(for: .seconds(-1))
            log(clock.now.offset)
        }
        scheduler.start()
        #expect(log.text == "0.0 seconds")
    }

    @Test func sleepToPastDeadlineNeedsNoRunningScheduler() {
        Task(executorPreference: InlineExecutor()) { [clock, log] in
            try await clock.sleep(until: clock.now)
            log("slept")
        }
        #expect(log.text == "slept")
        scheduler.start()
    }

    @Test func sleepIsRoundedUpToWholeSteps() {
        task { clock, log in
            try await clock.sleep(for: .milliseconds(1400))
            log(clock.now.offset)
        }
        scheduler.start()
        #expect(log.text == "2.0 seconds")
    }

    @Test(arguments: [0.001, 0.1, 1.0 / 3, 1.0 / 60, 1, 60])
    func sleepEndsAtFirstStepFromDeadline(resolution: Double) {
        let scheduler = TestScheduler(initialClock: 1_700_000_000, resolution: resolution)
        let clock = TestClock(scheduler)
        let step = clock.minimumResolution
        Task(executorPreference: clock) { [log] in
            for _ in 0..<100 {
                let (deadline, steps) = (clock.now.advanced(by: step * 7), scheduler.clock)
                try await clock.sleep(until: deadline)
                // Rounding to a nanosecond may make the sleep one step longer.
                if clock.now < deadline || !(7...8).contains(scheduler.clock - steps) {
                    log("\(clock.now) after \(scheduler.clock - steps) steps instead of \(deadline)")
                }
            }
            log("done")
        }
        scheduler.start()
        #expect(log.text == "done")
    }

    @Test func secondSleepLastsWholeNumberOfSteps() {
        for (resolution, steps) in [(0.001, 1000), (0.1, 10), (1.0 / 3, 3), (1.0 / 60, 60)] {
            let scheduler = TestScheduler(initialClock: 0, resolution: resolution)
            let clock = TestClock(scheduler)
            Task(executorPreference: clock) { try await clock.sleep(for: .seconds(1)) }
            scheduler.start()
            #expect(scheduler.clock == steps)
        }
    }

    @Test func instantsCountInTheResolution() {
        let fine = TestScheduler(initialClock: 1500, resolution: 0.001)
        #expect(TestClock(fine).now == TestClock.Instant(offset: .milliseconds(1500)))
        #expect(TestClock(fine).minimumResolution == .milliseconds(1))
        #expect(clock.now.duration(to: clock.now.advanced(by: .seconds(2))) == .seconds(2))
        #expect(clock.now < clock.now.advanced(by: .seconds(2)))
    }

    @Test func testClockServesAsAnyClock() {
        let injected: any Clock<Duration> = clock
        Task(executorPreference: clock) { [scheduler, log] in
            try await injected.sleep(for: .seconds(5))
            log(scheduler.clock)
        }
        scheduler.start()
        #expect(log.text == "5")
    }

    @Test func sleepEndsWhenSchedulerAdvancesToDeadline() {
        task { clock, log in
            try await clock.sleep(for: .seconds(3))
            log("awake")
        }
        scheduler.advanceTo(2)
        #expect(log.text == "")
        scheduler.advanceTo(3)
        #expect(log.text == "awake")
    }

    @Test func sleepOfTaskOnOtherExecutorEnds() async throws {
        let task = Task { [clock] in
            try await clock.sleep(for: .seconds(3))
            return clock.now.offset
        }
        let driver = Task { [scheduler] in
            while !Task.isCancelled {
                scheduler.advanceTo(scheduler.clock + 1)
                await Task.yield()
            }
        }
        defer { driver.cancel() }
        #expect(try await task.value >= .seconds(3))
    }
}

@Suite struct TestClockCancellationTests {
    let scheduler: TestScheduler
    let clock: TestClock
    let log = Log()

    init() {
        scheduler = TestScheduler(initialClock: 0)
        clock = TestClock(scheduler)
    }

    private func sleeper() -> Task<Void, Never> {
        Task(executorPreference: clock) { [clock, log] in
            do {
                try await clock.sleep(for: .seconds(10))
                log("awake")
            } catch {
                log("\(type(of: error))@\(clock.now.offset)")
            }
        }
    }

    @Test func aCancelledSleepEndsAtOnce() {
        let task = sleeper()
        scheduler.scheduleAt(4) { task.cancel() }
        scheduler.start()
        #expect(log.text == "CancellationError@4.0 seconds")
        // The sleep is no longer scheduled, so time does not advance to its end.
        #expect(scheduler.clock == 4)
    }

    @Test func taskCancelledBeforeSleepThrows() {
        let task = sleeper()
        task.cancel()
        scheduler.start()
        #expect(log.text == "CancellationError@0.0 seconds")
    }

    @Test func aCancelledTaskDoesNotSleepToADeadlineThatHasCome() {
        let task = Task(executorPreference: clock) { [clock] in try await clock.sleep(until: clock.now) }
        task.cancel()
        let outcome = Task(executorPreference: clock) { [log] in log(await task.result) }
        scheduler.start()
        #expect(log.text.contains("CancellationError"))
        _ = outcome
    }

    @Test func aSleepThatHasEndedIsNotCancelled() {
        let task = sleeper()
        scheduler.scheduleAt(10) { task.cancel() }
        scheduler.start()
        #expect(["awake", "CancellationError@10.0 seconds"].contains(log.text))
        #expect(log.entries.count == 1)
    }

    @Test func valueHeldByCancelledSleepIsFreed() {
        let tracker = LifetimeTracker()
        do {
            let element = tracker.make(1)
            let task = Task(executorPreference: clock) { [clock] in
                try await clock.sleep(for: .seconds(10))
                withExtendedLifetime(element) {}
            }
            scheduler.scheduleAt(1) { task.cancel() }
        }
        scheduler.start()
        #expect(tracker.live == 0)
    }
}

@Suite struct TestClockRaceTests {
    @Test func concurrentSleepsCancellationsAndAdvancesEndEachSleepOnce() async {
        for round in 0..<300 {
            let scheduler = TestScheduler(initialClock: 0)
            let clock = TestClock(scheduler)
            let sleepers = (0..<8).map { index in
                Task.detached { () -> Bool in
                    do {
                        try await clock.sleep(for: .seconds(1 + (index + round) % 3))
                        return true
                    } catch {
                        return false
                    }
                }
            }
            let canceller = Task.detached { for sleeper in sleepers { sleeper.cancel() } }
            let time = Task.detached {
                while !Task.isCancelled {
                    scheduler.advanceTo(scheduler.clock + 1)
                    await Task.yield()
                }
            }
            await canceller.value
            var ends = 0
            for sleeper in sleepers {
                _ = await sleeper.value
                ends += 1
            }
            time.cancel()
            await time.value
            #expect(ends == 8)
            #expect(scheduler.debugDescription == "[]", "a sleep left its alarm behind")
        }
    }

    /// A task returns from another executor. The thread that runs the scheduler must then run the task's next job.
    @Test func detachedWorkReturnsToClock() async {
        let scheduler = TestScheduler(initialClock: 0)
        let clock = TestClock(scheduler)
        let tasks = (0..<8).map { _ in
            Task(executorPreference: clock) {
                for _ in 0..<100 { await Task.detached {}.value }
                return scheduler.clock
            }
        }
        let time = Task.detached {
            while !Task.isCancelled {
                scheduler.advanceTo(scheduler.clock)
                await Task.yield()
            }
        }
        for task in tasks { #expect(await task.value == 0) }
        time.cancel()
        await time.value
    }
}

private actor Counter {
    private(set) var count = 0

    func increment() { count += 1 }
}

private func currentThread() -> UInt {
    UInt(pthread_self())
}
