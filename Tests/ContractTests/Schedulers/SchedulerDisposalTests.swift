import Dispatch
import RxSwift
import Synchronization
import TestSupport
import Testing

/// No action may begin after `dispose`.
@Suite struct SchedulerDisposalTests {
    @Test(
        "an action disposed of before its turn is freed at once and never runs",
        arguments: SchedulerRow.all(.trampolined))
    func before(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let tracker = LifetimeTracker()
        let log = Log()
        trial.schedule {
            let action = trial.scheduler.schedule(tracker.make()) { _ in
                log("ran")
                return Disposables.create()
            }
            action.dispose()
            log(tracker.live)
            trial.schedule { trial.end() }
        }
        try trial.wait()
        #expect(log.text == "0")
    }

    @Test("an action disposed of by another thread before its turn never runs", arguments: SchedulerRow.all(.serial))
    func actionDisposedByOtherThreadNeverRuns(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let tracker = LifetimeTracker()
        let log = Log()
        trial.schedule {
            try? runOnThread {
                let action = trial.scheduler.schedule(tracker.make()) { _ in
                    log("ran")
                    return Disposables.create()
                }
                action.dispose()
                log(tracker.live)
                trial.schedule { trial.end() }
            }
        }
        try trial.wait()
        #expect(log.text == "0")
    }

    /// The timers are due after an hour, so even a slow machine disposes of them in time.
    @Test("a timer disposed of before its time is freed at once", arguments: SchedulerRow.all(.timed))
    func timer(_ row: SchedulerRow) throws {
        let scheduler = try SchedulerTrial(row).timed
        let tracker = LifetimeTracker()
        let once = scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(3600)) { _ in Disposables.create() }
        let periodic = scheduler.schedulePeriodic(tracker.make(), startAfter: .seconds(3600), period: .seconds(1)) {
            $0
        }
        let never = scheduler.scheduleRelative(tracker.make(), dueTime: .never) { _ in Disposables.create() }
        #expect(tracker.live == 3)
        [once, periodic, never].forEach { $0.dispose() }
        #expect(tracker.live == 0)
    }

    enum Disposer: CaseIterable {
        case action, otherThread
    }

    @Test(
        "what a running action returns is disposed of if the action has been", arguments: SchedulerRow.all,
        Disposer.allCases)
    func during(_ row: SchedulerRow, _ disposer: Disposer) throws {
        let trial = SchedulerTrial(row)
        let log = Log()
        let action = SingleAssignmentDisposable()
        action.setDisposable(
            trial.scheduler.schedule(()) { _ in
                switch disposer {
                case .action: action.dispose()
                case .otherThread: try? runOnThread { action.dispose() }
                }
                log("ran")
                trial.end()
                return Disposables.create {
                    log("disposed")
                    trial.end()
                }
            })
        try trial.wait(ends: 2)
        #expect(log.text == "ran disposed")
    }

    @Test("the disposable that an action returned is disposed of with it, once", arguments: SchedulerRow.all)
    func afterwards(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let log = Log()
        let action = trial.scheduler.schedule(()) { _ in
            trial.end()
            return Disposables.create { log("disposed") }
        }
        try trial.wait()
        action.dispose()
        action.dispose()
        // If the action is still running, its result is disposed of when the action returns.
        expectSoon { log.text == "disposed" }
    }

    @Test("no action begins after another action has disposed of it", arguments: SchedulerRow.all(.trampolined))
    func inside(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let ran = Unlocked<[Int]>([])
        let all = CompositeDisposable()
        trial.schedule {
            for index in 0..<100 {
                _ = all.insert(
                    trial.schedule {
                        ran.value.append(index)
                        if index == 9 { all.dispose() }
                    })
            }
            trial.schedule { trial.end() }
        }
        try trial.wait()
        #expect(ran.value == Array(0..<10))
    }

    /// The timers are due after less than 50 microseconds, so that a disposal may find a timer in any state.
    @Test("runs an action that another thread disposes of at most once", arguments: SchedulerRow.all(without: .virtual))
    func race(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let count = 400
        let (runs, ends) = (Guarded(Array(repeating: 0, count: count)), Guarded(Array(repeating: 0, count: count)))
        let actions = Guarded<[Int: any Disposable]>([:])
        let stop = Atomic(false)
        try runConcurrently(threads: 2) { thread in
            if thread == 1 {
                while true {
                    let isLast = stop.load(ordering: .acquiring)
                    let taken = actions.withLock { actions in
                        defer { actions = [:] }
                        return actions
                    }
                    taken.values.forEach { $0.dispose() }
                    if isLast { return }
                }
            }
            for index in 0..<count {
                let action: @Sendable (()) -> any Disposable = { _ in
                    runs.withLock { $0[index] += 1 }
                    return Disposables.create { ends.withLock { $0[index] += 1 } }
                }
                let made =
                    switch trial.scheduler as? any SchedulerType {
                    case let timed? where index.isMultiple(of: 2):
                        timed.scheduleRelative((), dueTime: .microseconds(index % 50), action: action)
                    default: trial.scheduler.schedule((), action: action)
                    }
                actions.withLock { $0[index] = made }
            }
            stop.store(true, ordering: .releasing)
        }
        try trial.settle()
        // A concurrent scheduler may still be running the last action.
        expectSoon { ends.withLock { $0 } == runs.withLock { $0 } }
        #expect(runs.withLock { $0.allSatisfy { $0 <= 1 } })
    }

    enum Loop: CaseIterable {
        case recursion, periodic
    }

    @Test(
        "begins at most one more step when another thread has disposed of a loop",
        arguments: SchedulerRow.all(without: .virtual).filter { $0.name != "CurrentThreadScheduler" }, Loop.allCases)
    func loop(_ row: SchedulerRow, _ loop: Loop) throws {
        let trial = SchedulerTrial(row)
        let steps = Atomic(0)
        let begun = DispatchSemaphore(value: 0)
        @Sendable func step() {
            if steps.add(1, ordering: .acquiringAndReleasing).newValue == 5 { begun.signal() }
        }
        let running: any Disposable
        switch loop {
        case .recursion:
            running = trial.scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
                step()
                again(count)
            }
        case .periodic:
            guard row.promises.contains(.timed) else { return }
            running = try trial.timed.schedulePeriodic(0, startAfter: .nanoseconds(0), period: .microseconds(100)) {
                count in
                step()
                return count
            }
        }
        try #require(begun.wait(timeout: .now() + 30) == .success)
        running.dispose()
        let seen = steps.load(ordering: .acquiring)
        try trial.settle()
        #expect(steps.load(ordering: .acquiring) <= seen + 1)
    }
}
