import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct VirtualTimeSchedulerTests {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log()

    private func note(_ name: String) {
        log("\(name)@\(scheduler.clock)")
    }

    private func at(_ time: TestTime, _ name: String) {
        scheduler.scheduleAt(time) { note(name) }
    }

    @Test func runsInOrderOfTime() {
        for time in [50, 10, 40, 20, 30] { at(time, "x") }
        scheduler.start()
        #expect(log.text == "x@10 x@20 x@30 x@40 x@50")
    }

    @Test func runsInOrderOfSchedulingAtTheSameTime() {
        for index in 0..<100 { at(10, "\(index)") }
        scheduler.start()
        #expect(log.entries == (0..<100).map { "\($0)@10" })
    }

    @Test func keepsOrderAmongManyTimes() {
        var seen: [(time: Int, index: Int)] = []
        for index in 0..<1000 {
            let time = (index * 7919) % 97
            scheduler.scheduleAt(time) { seen.append((time, index)) }
        }
        scheduler.start()
        #expect(seen.count == 1000)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func startingItFromAnActionThatAnotherThreadRunsDoesNothing() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
            scheduler.scheduleAt(10) {
                scheduler.start()
                log("a")
            }
            scheduler.scheduleAt(20) { log("b") }
            try runOnThread { scheduler.advanceTo(20) }
            precondition(log.text == "a b", log.text)
        }
    }

    @Test func aTimeThatHasPassedIsDueAtOnceAndTheClockStays() {
        scheduler.scheduleAt(10) {
            note("a")
            at(10, "c")
            at(5, "past")
        }
        at(10, "b")
        scheduler.start()
        #expect(log.text == "a@10 past@10 b@10 c@10")
    }

    @Test func nowIsOneStepLaterAndVirtualSpansAreNot() {
        scheduler.scheduleAt(10) {
            _ = scheduler.schedule(()) { action("now") }
            _ = scheduler.scheduleRelative((), dueTime: .seconds(-5)) { action("negative") }
            _ = scheduler.scheduleRelativeVirtual((), dueTime: 0) { action("zero") }
        }
        func action(_ name: String) -> any Disposable {
            note(name)
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.text == "zero@10 now@11 negative@11")
    }

    @Test func nowIsNowWithoutProcessingDelay() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        _ = scheduler.schedule(()) {
            log(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.text == "0")
    }

    @Test func spansOfEveryUnitBecomeSteps() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let spans: [RxTimeInterval] = [.seconds(1), .milliseconds(2), .microseconds(3000), .nanoseconds(4_000_000)]
        for span in spans {
            _ = scheduler.scheduleRelative((), dueTime: span) {
                log(scheduler.clock)
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(log.text == "2 3 4 1000")
    }

    @Test func disposedJobDoesNotRunOrAdvanceClock() {
        let item = scheduler.scheduleAbsoluteVirtual((), time: 10) {
            note("ran")
            return Disposables.create()
        }
        scheduler.scheduleAt(5) { item.dispose() }
        scheduler.start()
        #expect(log.text == "")
        #expect(scheduler.clock == 5)
    }

    @Test func disposalAfterActionDisposesResult() {
        let item = scheduler.scheduleAbsoluteVirtual((), time: 10) { Disposables.create { log("torn down") } }
        scheduler.start()
        #expect(log.text == "")
        item.dispose()
        item.dispose()
        #expect(log.text == "torn down")
    }

    @Test func disposalInsideActionDisposesResult() {
        var item: (any Disposable)?
        item = scheduler.scheduleAbsoluteVirtual((), time: 10) {
            item?.dispose()
            log("ran")
            return Disposables.create { log("torn down") }
        }
        scheduler.start()
        #expect(log.text == "ran torn down")
    }

    @Test func advanceToRunsUpToTheTimeAndSetsTheClock() {
        for time in [10, 20, 30] { at(time, "x") }
        scheduler.advanceTo(20)
        #expect(log.take() == "x@10 x@20")
        scheduler.advanceTo(25)
        #expect(log.take() == "")
        #expect(scheduler.clock == 25)
        scheduler.start()
        #expect(log.take() == "x@30")
    }

    @Test func advanceToATimeBeforeTheClockSetsItBack() {
        scheduler.advanceTo(50)
        scheduler.advanceTo(20)
        #expect(scheduler.clock == 20)
    }

    @Test func sleepRunsNothingAndDelaysDueActions() {
        at(10, "x")
        scheduler.sleep(50)
        #expect(scheduler.clock == 50)
        scheduler.start()
        #expect(log.text == "x@50")
    }

    @Test func sleepingForNoTimeChangesNothing() {
        scheduler.sleep(0)
        #expect(scheduler.clock == 0)
    }

    @Test func startInsideAnActionDoesNothing() {
        scheduler.scheduleAt(10) {
            note("x")
            scheduler.start()
            note("x'")
        }
        at(20, "y")
        scheduler.start()
        #expect(log.text == "x@10 x'@10 y@20")
    }

    @Test func startOnAnotherThreadDoesNothingWhileItRuns() {
        scheduler.scheduleAt(10) {
            note("x")
            try! runOnThread { scheduler.start() }
            note("x'")
        }
        at(20, "y")
        scheduler.start()
        #expect(log.text == "x@10 x'@10 y@20")
    }

    @Test func stopLeavesTheRestForTheNextStart() {
        scheduler.scheduleAt(10) {
            note("x")
            scheduler.stop()
        }
        at(20, "y")
        scheduler.start()
        #expect(log.take() == "x@10")
        scheduler.start()
        #expect(log.take() == "y@20")
    }

    @Test func startAfterStopInsideActionRunsRemainingActions() {
        scheduler.scheduleAt(10) {
            scheduler.stop()
            scheduler.start()
            note("x")
        }
        at(20, "y")
        scheduler.start()
        #expect(log.text == "y@20 x@20")
    }

    @Test func stoppedRunEndsAfterNestedRun() {
        scheduler.scheduleAt(10) {
            scheduler.stop()
            scheduler.advanceTo(20)
        }
        at(15, "x")
        at(30, "y")
        scheduler.start()
        #expect(log.take() == "x@15")
        scheduler.start()
        #expect(log.take() == "y@30")
    }

    @Test func stopOnAnotherThreadLeavesTheRestForTheNextStart() throws {
        scheduler.scheduleAt(10) {
            note("x")
            try! runOnThread { scheduler.stop() }
        }
        at(20, "y")
        scheduler.start()
        #expect(log.take() == "x@10")
        scheduler.advanceTo(20)
        #expect(log.take() == "y@20")
    }

    @Test func debugDescriptionOnAnotherThreadLooksAtNoQueueInUse() throws {
        scheduler.scheduleAt(10) {
            at(20, "y")
            log(scheduler.debugDescription)
            try! runOnThread { log(scheduler.debugDescription) }
        }
        scheduler.start()
        #expect(log.entries == ["[20]", "running on another thread", "y@20"])
    }

    /// The printing thread waits in the scheduler's converter.
    @Test func startRunsWhileOtherThreadPrints() throws {
        let (prints, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (tracker, time) = countedTime {
            if threadName() != "rx-print" { return }
            prints.signal()
            go.wait()
        }
        nonisolated(unsafe) let scheduler = time
        for time in [20, 10] {
            _ = scheduler.scheduleAbsoluteVirtual(time, time: tracker.make(time)) { [log] time in
                log(time)
                return Disposables.create()
            }
        }
        let printer = PthreadScheduler(name: "rx-print")
        _ = printer.schedule(()) { [log] _ in
            log(scheduler.debugDescription)
            return Disposables.create()
        }
        try wait(for: prints)
        scheduler.start()
        go.signal()
        printer.shutdown()
        #expect(log.entries == ["10", "20", "[10, 20]"])
    }

    @Test func debugDescriptionShowsTheTimes() {
        at(20, "x")
        at(10, "x")
        #expect(scheduler.debugDescription == "[10, 20]")
        scheduler.start()
        #expect(log.text == "x@10 x@20")
    }

    @Test func disposingFreesTheActionAtOnce() {
        let tracker = LifetimeTracker()
        let item = scheduler.scheduleAbsoluteVirtual(tracker.make(), time: 10) { _ in Disposables.create() }
        #expect(tracker.live == 1)
        item.dispose()
        #expect(tracker.live == 0)
    }

    @Test func runningFreesTheAction() {
        let tracker = LifetimeTracker()
        let item = scheduler.scheduleAbsoluteVirtual(tracker.make(), time: 10) { _ in Disposables.create() }
        scheduler.start()
        #expect(tracker.live == 0)
        item.dispose()
    }

    @Test func disposedTimersLeaveOthersInOrder() {
        var seen: [Int] = []
        func schedule(_ index: Int) -> any Disposable {
            let time = 10 + index * 7_919 % 1_009
            return scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
                seen.append(time)
                return Disposables.create()
            }
        }
        let timers = (0..<1_000).map(schedule)
        scheduler.scheduleAt(1) {
            for (index, timer) in timers.enumerated() where index % 3 != 0 { timer.dispose() }
            for index in 1_000..<2_000 { _ = schedule(index) }
        }
        scheduler.start()
        #expect(seen.count == 1_334)
        #expect(seen == seen.sorted())
    }

    /// The jobs at 800 and 900 are in different subtrees. In the heap's array, 900 comes first.
    @Test func jobsLeftOnBothSidesOfHeapRunInOrder() {
        var (seen, others) = ([] as [Int], [] as [any Disposable])
        func schedule(_ time: Int) -> any Disposable {
            scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
                seen.append(time)
                return Disposables.create()
            }
        }
        scheduler.scheduleAt(1) {
            for timer in others { timer.dispose() }
            // The second job triggers a sweep.
            for time in [2_000, 2_001] { _ = schedule(time) }
        }
        for time in [900, 2, 950, 951, 800] + Array(952..<1_010) {
            let timer = schedule(time)
            if time != 900 && time != 800 { others.append(timer) }
        }
        scheduler.start()
        #expect(seen == [800, 900, 2_000, 2_001])
    }

    @Test func disposedEarliestTimerLeavesOthersInOrder() {
        var seen: [Int] = []
        func schedule(_ time: Int) -> any Disposable {
            scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
                seen.append(time)
                return Disposables.create()
            }
        }
        // The earliest action is at the top of the heap. One of its children has all late actions below it.
        var earliest: (any Disposable)?
        scheduler.scheduleAt(1) {
            earliest?.dispose()
            for time in [2_000, 2_001] { _ = schedule(time) }
        }
        for index in 1..<64 {
            var side = index
            while side > 2 { side = (side - 1) / 2 }
            let timer = schedule(side == 1 ? 1_000 + index : 10 + index)
            if index == 2 { earliest = timer }
        }
        scheduler.start()
        #expect(seen.count == 64)
        #expect(seen == seen.sorted())
    }

    @Test func keepsNoTimesOfTimersTakenBackBeforeARun() {
        let (tracker, scheduler) = countedTime()
        var most = 0
        for _ in 0..<10_000 {
            scheduler.scheduleAbsoluteVirtual((), time: tracker.make(1_000)) { _ in Disposables.create() }.dispose()
            most = max(most, tracker.live)
        }
        #expect(most < 200)
    }

    @Test func keepsNoTimesOfTimersTakenBackDuringARun() {
        let (tracker, scheduler) = countedTime()
        var last: (any Disposable)?
        var most = 0
        func tick(_ left: Int) -> any Disposable {
            last?.dispose()
            last = scheduler.scheduleAbsoluteVirtual((), time: tracker.make(100_000)) { _ in Disposables.create() }
            most = max(most, tracker.live)
            if left > 0 { _ = scheduler.scheduleRelativeVirtual((), dueTime: 1) { _ in tick(left - 1) } }
            return Disposables.create()
        }
        _ = tick(5_000)
        scheduler.start()
        #expect(most < 200)
    }

    private func countedTime(
        onCompare: @escaping () -> Void = {}
    ) -> (LifetimeTracker, VirtualTimeScheduler<CountedSeconds>) {
        let tracker = LifetimeTracker()
        let converter = CountedSeconds(tracker: tracker, onCompare: onCompare)
        return (tracker, VirtualTimeScheduler(initialClock: tracker.make(), converter: converter))
    }

    @Test func aLongChainOfActionsIsDisposedOfOnASmallStack() throws {
        try runOnThread(stackSize: 512 << 10) {
            let scheduler = TestScheduler(initialClock: 0)
            func step(_ left: Int) -> any Disposable {
                scheduler.scheduleRelativeVirtual((), dueTime: 1) { left == 0 ? Disposables.create() : step(left - 1) }
            }
            let first = step(100_000)
            scheduler.start()
            #expect(scheduler.clock == 100_001)
            first.dispose()
        }
    }

    @Test func concurrentSchedulingAndDisposalDuringRunIsSafe() throws {
        let ran = Log()
        let threads = 4
        let each = 500
        try runConcurrently(threads: threads + 1) { index in
            if index == threads {
                for time in 1...2000 { scheduler.advanceTo(time) }
                return
            }
            for round in 0..<each {
                let item = scheduler.scheduleAbsoluteVirtual((), time: round) {
                    ran("x")
                    return Disposables.create()
                }
                if round.isMultiple(of: 2) { item.dispose() }
            }
        }
        scheduler.advanceTo(3000)
        #expect(ran.entries.count >= threads * each / 2)
        #expect(ran.entries.count <= threads * each)
    }

    #if os(Linux) || os(macOS)
        @Test func advanceToInsideAnActionTraps() async {
            await #expect(processExitsWith: .failure) {
                let scheduler = TestScheduler(initialClock: 0)
                scheduler.scheduleAt(1) { scheduler.advanceTo(5) }
                scheduler.start()
            }
        }

        @Test func sleepingToThePastTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                TestScheduler(initialClock: 10).sleep(-1)
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Can't sleep to past. (VirtualTimeScheduler.sleep, virtualInterval: -1)"))
        }

        @Test func startOnAnotherThreadTraps() async {
            await #expect(processExitsWith: .failure) {
                let scheduler = TestScheduler(initialClock: 0)
                try runOnThread { scheduler.start() }
            }
        }
    #endif
}

private struct CountedSeconds: VirtualTimeConverterType {
    let tracker: LifetimeTracker
    let onCompare: () -> Void

    func convertFromVirtualTime(_ time: LifetimeTracker.Tracked) -> RxTime {
        Date(timeIntervalSince1970: Double(time.value))
    }

    func convertToVirtualTime(_ time: RxTime) -> LifetimeTracker.Tracked {
        tracker.make(Int(time.timeIntervalSince1970))
    }

    func convertFromVirtualTimeInterval(_ span: Int) -> TimeInterval { TimeInterval(span) }
    func convertToVirtualTimeInterval(_ span: TimeInterval) -> Int { Int(span) }

    func offsetVirtualTime(_ time: LifetimeTracker.Tracked, offset: Int) -> LifetimeTracker.Tracked {
        tracker.make(time.value + offset)
    }

    func compareVirtualTime(
        _ one: LifetimeTracker.Tracked, _ other: LifetimeTracker.Tracked
    ) -> VirtualTimeComparison {
        onCompare()
        return if one.value < other.value { .lessThan } else if one.value > other.value { .greaterThan } else { .equal }
    }
}
