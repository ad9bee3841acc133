import RxSwift
import TestSupport
import Testing

@Suite struct SchedulerReleaseTests {
    @Test("an action is freed when it has run, even if its handle is kept", arguments: SchedulerRow.all)
    func state(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let tracker = LifetimeTracker()
        var kept = [
            trial.scheduler.schedule(tracker.make()) { _ in
                trial.end()
                return Disposables.create()
            }
        ]
        var ends = 1
        if let scheduler = trial.scheduler as? any SchedulerType {
            ends += 1
            kept.append(
                scheduler.scheduleRelative(tracker.make(), dueTime: .microseconds(10)) { _ in
                    trial.end()
                    return Disposables.create()
                })
        }
        try trial.wait(ends: ends)
        expectSoon { tracker.live == 0 }
        withExtendedLifetime(kept) {}
    }

    @Test(
        "a scheduler is let go when it has nothing to do",
        arguments: SchedulerRow.all.filter { $0.form.hasPrefix("init") })
    func scheduler(_ row: SchedulerRow) throws {
        weak var scheduler: AnyObject?
        do {
            let trial = SchedulerTrial(row)
            scheduler = trial.scheduler as AnyObject
            try Self.work(trial)
        }
        expectSoon { scheduler == nil }
    }

    @Test("no resource is left")
    func resources() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            for row in SchedulerRow.all { try Self.work(SchedulerTrial(row)) }
            expectSoon { Resources.total == 0 }
        }
    }

    @Test("no thread is left behind")
    func threads() async {
        await #expect(processExitsWith: .success) {
            for row in SchedulerRow.all(.threads) {
                for _ in 0..<20 {
                    for pending: PendingWork? in [nil, .drain, .drop] { try Self.end(row, pending) }
                }
            }
            // All schedulers share the timer service, so its thread stays.
            expectSoon("\(threadNames())") { threadNames().filter { $0.hasPrefix("rx.") } == ["rx.timers"] }
        }
    }

    /// Gives a scheduler work, and timers that are due soon or much later. Then shuts it down or, if `pending` is nil,
    /// releases it.
    private static func end(_ row: SchedulerRow, _ pending: PendingWork?) throws {
        let timers: [any Disposable]
        do {
            let trial = SchedulerTrial(row)
            try work(trial)
            let scheduler = try trial.timed
            timers =
                [RxTimeInterval.microseconds(50), .microseconds(500), .seconds(3600)].map {
                    scheduler.scheduleRelative((), dueTime: $0) { _ in Disposables.create() }
                }
                + [RxTimeInterval.nanoseconds(0), .seconds(3600)].map {
                    scheduler.schedulePeriodic((), startAfter: $0, period: .microseconds(10)) { _ in }
                }
            scheduler.scheduleRelative((), dueTime: .seconds(3600)) { _ in Disposables.create() }.dispose()
            if let pending { try trial.shutdown(pending) }
        }
        // The thread of a released scheduler may still wait for these timers.
        timers.forEach { $0.dispose() }
    }

    private static func work(_ trial: SchedulerTrial) throws {
        var ends = 101
        for _ in 0..<100 { trial.schedule(trial.end) }
        let recursion = trial.scheduler.scheduleRecursive(1) { (count: Int, again: (Int) -> Void) in
            if count < 10 { again(count + 1) } else { trial.end() }
        }
        var timers: [any Disposable] = []
        if let scheduler = trial.scheduler as? any SchedulerType {
            ends += 2
            timers = [RxTimeInterval.microseconds(10), .seconds(3600)].map {
                scheduler.scheduleRelative((), dueTime: $0) { _ in
                    trial.end()
                    return Disposables.create()
                }
            }
            let periodic = SingleAssignmentDisposable()
            periodic.setDisposable(
                scheduler.schedulePeriodic(1, startAfter: .nanoseconds(0), period: .microseconds(10)) { count in
                    if count == 3 {
                        periodic.dispose()
                        trial.end()
                    }
                    return count + 1
                })
            timers[1].dispose()
        }
        let source = Observable.range(start: 0, count: 50).observe(on: trial.scheduler).subscribe(
            onCompleted: trial.end)
        try trial.wait(ends: ends + 1)
        (timers + [recursion, source]).forEach { $0.dispose() }
    }
}
