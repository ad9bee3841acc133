import RxSwift
import Testing
import TestSupport

@Suite struct ReentrancyTests {
    @Test("accepts an element from inside a delivery", arguments: Table.rows, Feed.Head.allCases)
    func emission(_ row: Row, _ head: Feed.Head) throws {
        let trial = try runOnThread(timeout: 10) {
            var budget = 3
            let trial = Trial(row, head) { rig, probe in
                probe.onElement = { [weak rig] _ in
                    guard let rig, budget > 0 else { return }
                    budget -= 1
                    for feed in rig.feeds { feed.send(.next(rig.make(10 + budget))) }
                }
            }
            trial.rig.push(rounds: 4)
            // Delivers delayed elements before the sources end.
            trial.rig.settle(5000)
            trial.rig.complete()
            return trial
        }
        #expect(trial.probe.late == 0)
        #expect(trial.probe.ends == 1 || row.is(.endless))
        if row.is(.exact) { #expect(trial.probe.nexts == (4 + 3) * trial.rig.feeds.count) }
    }

    @Test("accepts the end from inside a delivery", arguments: Table.rows, [true, false])
    func end(_ row: Row, _ withError: Bool) throws {
        let trial = try runOnThread(timeout: 10) {
            let trial = Trial(row) { rig, probe in
                probe.onElement = { [weak rig] _ in
                    for feed in rig?.feeds ?? [] { feed.send(withError ? .error(TestError.a) : .completed) }
                }
            }
            trial.rig.push(rounds: 2)
            trial.rig.complete()
            return trial
        }
        #expect(trial.probe.late == 0)
        #expect(trial.probe.ends <= 1)
        if !withError && !row.is(.endless) { #expect(trial.probe.ends == 1) }
    }

    @Test("accepts an observer from inside a delivery", arguments: Table.rows, Feed.Head.allCases)
    func subscription(_ row: Row, _ head: Feed.Head) throws {
        let second = Probe()
        let trial = try runOnThread(timeout: 10) {
            let subscription = SerialDisposable()
            var subscribe: (() -> Void)?
            let trial = Trial(row, head) { _, probe in
                probe.onElement = { _ in subscribe?() }
            }
            subscribe = {
                subscribe = nil
                subscription.disposable = trial.form!.subscribe(second)
            }
            trial.rig.push(rounds: 3)
            trial.rig.complete()
            subscription.dispose()
            subscribe = nil
            return trial
        }
        #expect(trial.probe.late == 0)
        #expect(second.late == 0)
        #expect(second.ends <= 1)
    }
}
