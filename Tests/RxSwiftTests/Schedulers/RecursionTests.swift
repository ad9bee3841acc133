import RxSwift
import RxTest
import TestSupport
import Testing

struct RecursionTests {
    private final class Manual: ImmediateSchedulerType {
        private(set) var waiting: [() -> any Disposable] = []
        var handle: () -> any Disposable = { Disposables.create() }

        func schedule<StateType>(
            _ state: StateType, action: @escaping (StateType) -> any Disposable
        ) -> any Disposable {
            waiting.append { action(state) }
            return handle()
        }

        func runNext() {
            _ = waiting.removeFirst()()
        }
    }

    private let log = Log()

    @Test func schedulesEachStep() {
        let scheduler = Manual()
        _ = scheduler.scheduleRecursive(0) { [log] (count: Int, again: (Int) -> Void) in
            log(count)
            if count < 2 { again(count + 1) }
        }
        while !scheduler.waiting.isEmpty {
            scheduler.runNext()
            log("-")
        }
        #expect(log.text == "0 - 1 - 2 -")
    }

    @Test func freesItsActionWhenNoStepIsLeft() {
        let scheduler = Manual()
        let tracker = LifetimeTracker()
        let recursion = scheduler.scheduleRecursive(0) { [held = tracker.make()] (count: Int, again: (Int) -> Void) in
            if count < 1 { again(held.value + count + 1) }
        }
        scheduler.runNext()
        #expect(tracker.live == 1)
        scheduler.runNext()
        withExtendedLifetime(recursion) { #expect(tracker.live == 0) }
    }

    @Test func freesItsActionAtADisposal() {
        let scheduler = Manual()
        let tracker = LifetimeTracker()
        let recursion = scheduler.scheduleRecursive(0) { [log, held = tracker.make()] (_: Int, again: (Int) -> Void) in
            log("no")
            again(held.value)
        }
        recursion.dispose()
        #expect(tracker.live == 0)
        scheduler.runNext()
        #expect(log.text.isEmpty && scheduler.waiting.isEmpty)
    }

    @Test func stepIsDisposedAsItBegins() {
        let scheduler = Manual()
        scheduler.handle = { [log] in Disposables.create { log("gone") } }
        _ = scheduler.scheduleRecursive(0) { [log] (count: Int, again: (Int) -> Void) in
            log(count)
            if count < 1 { again(count + 1) }
        }
        while !scheduler.waiting.isEmpty { scheduler.runNext() }
        #expect(log.text == "gone 0 gone 1")
    }

    @Test func periodRunsOneTickMissedDuringAction() {
        let scheduler = TestScheduler(initialClock: 0)
        let ticks = scheduler.schedulePeriodic(0, startAfter: .seconds(5), period: .seconds(5)) { [log] count in
            log("\(count)@\(scheduler.clock)")
            if count == 0 {
                scheduler.stop()
                scheduler.advanceTo(12)
            }
            return count + 1
        }
        scheduler.start()
        scheduler.advanceTo(22)
        #expect(log.text == "0@5 1@13 2@15 3@20")
        ticks.dispose()
    }

    @Test func recursionStepOnMainQueueWaitsForRequestingStep() async {
        await MainActor.run {
            _ = ConcurrentMainScheduler.instance.scheduleRecursive(0) { [log] (count: Int, again: (Int) -> Void) in
                log("s\(count)")
                if count < 2 { again(count + 1) }
                log("e\(count)")
            }
            log("then")
        }
        #expect(log.text == "s0 e0 s1 e1 s2 e2 then")
    }

    @Test func recursionStepRequestedFromOtherThreadRunsOnMainQueue() async {
        await MainActor.run {
            _ = ConcurrentMainScheduler.instance.scheduleRecursive(0) { [log] (count: Int, again: (Int) -> Void) in
                log(count)
                if count == 2 { return }
                withoutActuallyEscaping(again) { again in _ = try? runOnThread { again(count + 1) } }
            }
        }
        #expect(comesTrue { log.text == "0 1 2" })
    }
}
