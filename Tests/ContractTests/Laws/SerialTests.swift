import Dispatch
import Synchronization
import Testing
import TestSupport

@Suite struct SerialTests {
    @Test("delivers one event at a time", arguments: Table.rows(without: .delegates))
    func serial(_ row: Row) throws {
        let (threads, rounds) = (3, 150)
        let closures = Overlap()
        let trial = Trial(row) { rig, _ in
            rig.onCall = { closures.pass() }
        }
        let feeds = trial.rig.feeds
        if feeds.isEmpty { return }
        try runConcurrently(threads: threads) { index in
            for round in 0..<rounds {
                feeds[index % feeds.count].send(.next(trial.rig.make(index * Rig.producer + round)))
                trial.rig.settle(1)
            }
        }
        trial.rig.complete()
        #expect(trial.probe.overlaps == 0)
        #expect(trial.probe.late == 0)
        #expect(closures.found == 0)
        if row.is(.exact) { #expect(trial.probe.nexts == rounds * threads, "lost or repeated") }
    }

    @Test("admits no other thread while one is in the observer", arguments: Table.rows(without: .delegates))
    func meeting(_ row: Row) throws {
        let isOpen = Atomic(false)
        let (inside, pushed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let trial = Trial(row) { _, probe in
            probe.onElement = { _ in
                guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
                inside.signal()
                pushed.wait()
            }
        }
        isOpen.store(true, ordering: .releasing)
        try runConcurrently(threads: 2, timeout: 10) { index in
            if index == 0 {
                trial.rig.push(rounds: 3)
                isOpen.store(false, ordering: .releasing)
                inside.signal()
            } else {
                inside.wait()
                for (number, feed) in trial.rig.feeds.enumerated() {
                    feed.send(.next(trial.rig.make(number * Rig.producer + 1)))
                }
                pushed.signal()
            }
        }
        trial.rig.complete()
        #expect(trial.probe.overlaps == 0)
        #expect(trial.probe.late == 0)
    }
}
