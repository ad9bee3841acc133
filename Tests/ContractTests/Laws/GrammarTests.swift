import Testing
import TestSupport

/// Each row's events match the pattern `next* (error | completed)?`, whatever its sources send.
@Suite struct GrammarTests {
    @Test("completes once its sources have", arguments: Table.rows)
    func completion(_ row: Row) {
        let trial = Trial(row)
        trial.rig.push(rounds: 3)
        trial.rig.complete()
        trial.rig.push()
        trial.rig.settle()
        #expect(trial.probe.late == 0)
        #expect(trial.probe.ends <= 1)
        if row.is(.endless) { return }
        #expect(trial.probe.ends == 1, "no terminal event")
        if !row.is(.fails) { #expect(trial.probe.errors == 0) }
    }

    @Test("forwards each element once", arguments: Table.rows(with: .exact))
    func exact(_ row: Row) {
        let trial = Trial(row)
        trial.rig.push(rounds: 5)
        trial.rig.complete()
        #expect(trial.probe.nexts == 5 * trial.rig.feeds.count)
    }

    @Test("forwards an error of its first source", arguments: Table.rows(without: [.survives, .fails]))
    func error(_ row: Row) {
        let trial = Trial(row)
        trial.rig.push()
        let hasEnded = trial.probe.ends > 0
        trial.rig.feeds.first?.send(.error(TestError.a))
        trial.rig.settle(0)
        if !hasEnded && !trial.rig.feeds.isEmpty { #expect(trial.probe.error == .a) }
        trial.rig.push(rounds: 2)
        trial.rig.complete()
        #expect(trial.probe.late == 0)
        #expect(trial.probe.ends <= 1)
    }

    @Test("keeps the grammar in any order of ends", arguments: Table.rows, [true, false])
    func anyOrder(_ row: Row, _ withError: Bool) {
        for first in Trial(row).rig.feeds.indices {
            let trial = Trial(row)
            trial.rig.push()
            trial.rig.feeds[first].send(withError ? .error(TestError.a) : .completed)
            trial.rig.push(rounds: 2)
            trial.rig.complete()
            trial.rig.push()
            #expect(trial.probe.late == 0)
            #expect(trial.probe.ends <= 1)
        }
    }
}
