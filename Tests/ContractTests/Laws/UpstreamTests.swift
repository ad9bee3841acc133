import Testing
import TestSupport

@Suite struct UpstreamTests {
    @Test("disposes of each subscription once, at the end", arguments: Table.rows(without: .endless))
    func atTheEnd(_ row: Row) {
        let trial = Trial(row, .create)
        trial.rig.push(rounds: 3)
        trial.rig.complete()
        expectAllDisposed(trial)
        trial.subscription.dispose()
        expectAllDisposed(trial)
    }

    @Test("disposes of each subscription once, at an error", arguments: Table.rows(without: [.survives, .endless]))
    func atAnError(_ row: Row) {
        let trial = Trial(row, .create)
        trial.rig.push()
        trial.rig.feeds.first?.send(.error(TestError.a))
        trial.rig.settle()
        if trial.rig.feeds.isEmpty || row.is(.shared) { return }
        expectAllDisposed(trial)
        trial.subscription.dispose()
        expectAllDisposed(trial)
    }

    @Test("disposes of each subscription once, when disposed of", arguments: Table.rows)
    func atDispose(_ row: Row) {
        let trial = Trial(row, .create)
        trial.rig.push()
        trial.subscription.dispose()
        trial.rig.settle(0)
        expectAllDisposed(trial)
        trial.subscription.dispose()
        expectAllDisposed(trial)
    }

    @Test("does not dispose of its first source while it runs", arguments: Table.rows(without: .endsItself))
    func notBeforeTheEnd(_ row: Row) {
        let trial = Trial(row, .create)
        guard let feed = trial.rig.feeds.first else { return }
        #expect(feed.subscriptions == 1)
        feed.send(.next(trial.rig.make()))
        trial.rig.settle(0)
        #expect(feed.disposals == 0)
        #expect(trial.probe.ends == 0)
    }

    @Test("releases a source when it subscribes to the next", arguments: Table.rows(without: .multiplies))
    func oneAtATime(_ row: Row) {
        let trial = Trial(row, .create)
        for round in 0..<3 {
            trial.rig.push(from: round)
            for (number, feed) in trial.rig.feeds.enumerated() {
                #expect(feed.subscriptions - feed.disposals <= 1, "source \(number)")
            }
        }
    }

    @Test("releases its sources when it ends first", arguments: Table.rows(with: .endsItself, without: .shared))
    func atItsOwnEnd(_ row: Row) {
        let trial = Trial(row, .create)
        for round in 0..<5 where trial.probe.ends == 0 { trial.rig.push(from: round) }
        trial.rig.settle(0)
        if trial.probe.ends > 0 { expectAllDisposed(trial) }
    }

    @Test("releases a completed source while other sources continue", arguments: Table.rows(without: .shared))
    func completedSourceIsReleasedWhileOthersContinue(_ row: Row) {
        let trial = Trial(row, .create)
        trial.rig.push()
        guard trial.rig.feeds.count > 1, let last = trial.rig.feeds.last else { return }
        last.send(.completed)
        trial.rig.settle(0)
        #expect(last.disposals == last.subscriptions)
    }

    @Test(
        "disposes of its sources as soon as the observer has what it wants", arguments: Table.rows(without: [.shared]))
    func insideDelivery(_ row: Row) {
        var left: Int?
        var dispose: (() -> Void)?
        let trial = Trial(row, .create) { rig, probe in
            probe.onElement = { [weak rig] _ in
                guard left == nil, let rig, let dispose else { return }
                dispose()
                left = rig.feeds.reduce(0) { $0 + $1.subscriptions - $1.disposals }
            }
        }
        dispose = { trial.subscription.dispose() }
        trial.rig.push(rounds: 2)
        trial.rig.settle()
        if let left, !row.hops { #expect(left == 0) }
        dispose = nil
    }

    private func expectAllDisposed(_ trial: Trial) {
        for (number, feed) in trial.rig.feeds.enumerated() {
            #expect(feed.disposals == feed.subscriptions, "source \(number)")
        }
    }
}

extension Row {
    /// Whether the row subscribes to its sources on a scheduler, and disposes of them there.
    var hops: Bool { name.hasSuffix("subscribe(on:)") || name.hasSuffix("subscribeOn(_:)") || self.is(.awaits) }
}
