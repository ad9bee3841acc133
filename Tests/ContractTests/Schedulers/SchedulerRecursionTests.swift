import Dispatch
import RxSwift
import TestSupport
import Testing

@Suite struct SchedulerRecursionTests {
    @Test("a hundred thousand steps need no stack", arguments: SchedulerRow.all)
    func deep(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let steps = Unlocked(0)
        let recursion = trial.scheduler.scheduleRecursive(1) { (count: Int, again: (Int) -> Void) in
            steps.value += 1
            if count < row.steps { again(count + 1) } else { trial.end() }
        }
        try trial.wait()
        #expect(steps.value == row.steps)
        withExtendedLifetime(recursion) {}
    }

    @Test("steps run in the order of their requests", arguments: SchedulerRow.all([.fifo, .trampolined]))
    func order(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let log = Log()
        let recursion = trial.scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
            log(count)
            if count < 2 {
                again(count + 1)
                again(count + 10)
            }
            trial.end()
        }
        try trial.wait(ends: 5)
        #expect(log.text == "0 1 10 2 11")
        withExtendedLifetime(recursion) {}
    }

    @Test("all steps run, including steps that run at once", arguments: SchedulerRow.all)
    func tree(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let recursion = trial.scheduler.scheduleRecursive(7) { (depth: Int, again: (Int) -> Void) in
            trial.end()
            if depth == 0 { return }
            again(depth - 1)
            again(depth - 1)
        }
        try trial.wait(ends: 255)
        withExtendedLifetime(recursion) {}
    }

    @Test("a step may dispose of the recursion", arguments: SchedulerRow.all)
    func disposal(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let log = Log()
        let tracker = LifetimeTracker()
        let recursion = SingleAssignmentDisposable()
        let isMade = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let begin = { [held = tracker.make()] in
            recursion.setDisposable(
                trial.scheduler.scheduleRecursive(0) { [held] (count: Int, again: (Int) -> Void) in
                    if count == 0 { _ = isMade.wait(timeout: .now() + 30) }
                    log(held.value + count)
                    if count == 2 { recursion.dispose() }
                    again(count + 1)
                    if count == 2 { trial.end() }
                })
            isMade.signal()
        }
        // Begins inside an action if possible, so that no step runs before the disposable is stored.
        if row.promises.contains(.trampolined) { trial.schedule { begin() } } else { begin() }
        try trial.wait()
        try trial.settle()
        #expect(log.text == "0 1 2")
    }

    @Test("the action is freed once no step is left", arguments: SchedulerRow.all)
    func release(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let tracker = LifetimeTracker()
        let recursion = trial.scheduler.scheduleRecursive(0) {
            [held = tracker.make()] (count: Int, again: (Int) -> Void) in
            if count < 3 { again(held.value + count + 1) } else { trial.end() }
        }
        try trial.wait()
        expectSoon { tracker.live == 0 }
        withExtendedLifetime(recursion) {}
    }

    @Test(
        "actions that return the next one are disposed of with the first, however many",
        arguments: SchedulerRow.all(.trampolined))
    func chain(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let length = row.steps
        let log = Log()
        @Sendable func step(_ left: Int) -> any Disposable {
            trial.scheduler.schedule(left) { left in
                if left > 0 { return step(left - 1) }
                trial.end()
                return Disposables.create { log("disposed") }
            }
        }
        // No step runs before the end of this action, so `first` has its disposable by then.
        let first = SingleAssignmentDisposable()
        trial.schedule { first.setDisposable(step(length)) }
        try trial.wait()
        first.dispose()
        expectSoon { log.text == "disposed" }
    }
}
