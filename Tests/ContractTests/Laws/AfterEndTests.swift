import Testing
import TestSupport

/// Nothing follows the end. In the hardest case, the closure of a `map` ends the source, then returns an element.
@Suite struct AfterEndTests {
    /// Sends two elements into each source. The source ends during the delivery of the second.
    private func run(_ row: Row, in nesting: Row.Nesting? = nil, withError: Bool) -> Trial {
        var ending: Int?
        let trial = Trial(row, in: nesting) { rig, _ in
            rig.onPass = { [weak rig] index in
                guard let rig, ending == index else { return }
                ending = nil
                rig.feeds[index].send(withError ? .error(TestError.a) : .completed)
            }
        }
        trial.rig.push()
        for (index, feed) in trial.rig.feeds.enumerated() {
            ending = index
            feed.send(.next(trial.rig.make(index * Rig.producer + 1)))
            trial.rig.settle()
        }
        trial.rig.push(from: 2)
        trial.rig.settle()
        return trial
    }

    @Test("sends nothing after its end", arguments: Table.rows, Row.Nesting.allCases)
    func inside(_ row: Row, _ nesting: Row.Nesting) {
        for withError in [false, true] {
            let trial = run(row, in: nesting, withError: withError)
            #expect(trial.probe.late == 0)
            trial.subscription.dispose()
        }
    }

    @Test("ignores elements of a source after its end", arguments: Table.rows(with: .exact))
    func of(_ row: Row) {
        let trial = run(row, withError: false)
        #expect(trial.probe.late == 0)
        #expect(trial.probe.nexts == trial.rig.feeds.count)
        trial.subscription.dispose()
    }
}
