import Testing
import TestSupport

@Suite struct ThrowingTests {
    @Test("makes a thrown error the end", arguments: Table.rows(with: .throwing), Feed.Head.allCases)
    func thrown(_ row: Row, _ head: Feed.Head) {
        let trial = Trial(row, head, keepsForm: false) { rig, _ in
            rig.onCall = { throw TestError.c }
        }
        trial.rig.push(rounds: 3)
        if trial.probe.ends == 0 { trial.rig.feeds.first?.send(row.is(.survives) ? .error(TestError.a) : .completed) }
        trial.rig.settle()
        #expect(trial.probe.error == .c)
        let calls = trial.rig.calls
        trial.rig.push(rounds: 3)
        trial.rig.settle()
        #expect(trial.probe.late == 0)
        #expect(trial.rig.calls == calls)
        #expect(trial.rig.captures.live == 0)
        if head == .create {
            #expect(trial.rig.elements.live == 0)
            for feed in trial.rig.feeds { #expect(feed.disposals == feed.subscriptions) }
        }
    }
}
