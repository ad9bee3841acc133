import Testing
import TestSupport

@Suite struct OneTerminalTests {
    @Test("ends once, from several threads", arguments: Table.rows(without: .delegates), [true, false])
    func race(_ row: Row, _ withError: Bool) throws {
        for _ in 0..<30 {
            let trial = Trial(row)
            let feeds = trial.rig.feeds
            if feeds.isEmpty { return }
            try runConcurrently(threads: max(feeds.count, 2)) { index in
                let feed = feeds[index % feeds.count]
                feed.send(.next(trial.rig.make(index)))
                feed.send(withError && index == 0 ? .error(TestError.a) : .completed)
            }
            trial.rig.settle()
            #expect(trial.probe.ends <= 1)
            #expect(trial.probe.late == 0)
            #expect(trial.probe.overlaps == 0)
            if !withError && row.traits.isDisjoint(with: [.endless, .waits]) {
                #expect(trial.probe.ends == 1, "no terminal event")
            }
        }
    }
}
