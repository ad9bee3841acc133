import Testing
import TestSupport

/// A subscription that ends while several threads push retains nothing.
@Suite struct ReleaseRaceTests {
    enum End: CaseIterable {
        case disposal, completion
    }

    @Test(
        "releases everything that other threads were pushing", arguments: Table.rows(without: [.retains, .delegates]),
        End.allCases)
    func race(_ row: Row, _ end: End) throws {
        if end == .completion && !row.traits.isDisjoint(with: [.endless, .waits]) { return }
        for _ in 0..<10 {
            let trial = Trial(row, .create, keepsForm: false)
            let feeds = trial.rig.feeds
            try runConcurrently(threads: 3) { index in
                guard index > 0 else { return end == .disposal ? trial.subscription.dispose() : trial.rig.complete() }
                for round in 0..<20 {
                    for feed in feeds { feed.send(.next(trial.rig.make(round))) }
                    trial.rig.scheduler.advance(by: 1)
                }
            }
            trial.rig.complete()
            #expect(trial.rig.elements.live == 0, "elements")
            #expect(trial.rig.captures.live == 0, "closures")
            for (number, feed) in feeds.enumerated() {
                #expect(feed.disposals == feed.subscriptions, "source \(number)")
            }
            #expect(trial.probe.late == 0)
            #expect(trial.probe.overlaps == 0)
            withExtendedLifetime(trial) {}
        }
    }
}
