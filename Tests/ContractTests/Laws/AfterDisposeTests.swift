import Dispatch
import RxSwift
import Synchronization
import Testing
import TestSupport

/// After `dispose` nothing is delivered, and no closure of the operator runs.
@Suite struct AfterDisposeTests {
    @Test("is silent once disposed of on the same thread", arguments: Table.rows, Feed.Head.allCases)
    func sameThread(_ row: Row, _ head: Feed.Head) {
        let trial = Trial(row, head)
        trial.rig.push(rounds: 2)
        trial.subscription.dispose()
        // Runs the closures of the disposal, and frees values that wait on a scheduler's thread.
        trial.rig.settle(0)
        let (nexts, ends, calls) = (trial.probe.nexts, trial.probe.ends, trial.rig.calls)
        trial.rig.push(rounds: 3, from: 2)
        trial.rig.complete()
        #expect(trial.probe.nexts == nexts)
        #expect(trial.probe.ends == ends)
        #expect(trial.rig.calls == calls)
    }

    @Test("is silent once disposed of inside a delivery", arguments: Table.rows, Feed.Head.allCases)
    func insideDelivery(_ row: Row, _ head: Feed.Head) {
        let subscription = SerialDisposable()
        let trial = Trial(row, head) { _, probe in
            probe.onElement = { _ in subscription.dispose() }
        }
        subscription.disposable = trial.subscription
        trial.rig.push(rounds: 3)
        trial.rig.complete()
        trial.rig.push()
        // Rows that send during `subscribe` are not checked here, because the observer has no `Disposable` yet.
        if !trial.rig.feeds.isEmpty && trial.probe.nexts > 0 && !row.isEager {
            #expect(trial.probe.nexts == 1)
            #expect(trial.probe.ends == (row.is(.oneEvent) ? 1 : 0))
        }
        #expect(trial.probe.late == 0)
    }

    @Test(
        "lets at most one delivery finish when disposed of on another thread",
        arguments: Table.rows(without: [.shared, .delegates]))
    func otherThread(_ row: Row) throws {
        for _ in 0..<15 {
            let isDisposed = Atomic(false)
            let begun = DispatchSemaphore(value: 0)
            let late = Atomic(0)
            let trial = Trial(row) { _, probe in
                probe.onEvent = { if isDisposed.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) } }
            }
            if trial.rig.feeds.isEmpty { return }
            try runConcurrently(threads: 2) { index in
                if index == 0 {
                    for round in 0..<100 {
                        trial.rig.push(from: round)
                        if round == 20 { begun.signal() }
                    }
                } else {
                    begun.wait()
                    trial.subscription.dispose()
                    isDisposed.store(true, ordering: .releasing)
                }
            }
            trial.rig.settle()
            #expect(late.load(ordering: .relaxed) <= 1)
        }
    }
}

extension Row {
    var isEager: Bool { Trial(self).probe.nexts > 0 }
}
