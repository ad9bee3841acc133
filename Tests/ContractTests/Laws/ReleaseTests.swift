import RxSwift
import Testing
import TestSupport

/// After the end everything is freed, although the user still holds the `Disposable` and the sources.
@Suite struct ReleaseTests {
    enum End: CaseIterable {
        case completion, error, disposal, disposalInside
    }

    @Test("releases elements, errors and closures", arguments: Table.rows, End.allCases)
    func release(_ row: Row, _ end: End) {
        if end == .completion && row.is(.endless) { return }
        if end == .error && (row.is(.survives) || row.is(.endless)) { return }
        let inside = SerialDisposable()
        let trial = Trial(row, .create, keepsForm: false) { _, probe in
            if end == .disposalInside { probe.onElement = { _ in inside.dispose() } }
        }
        if end == .error && trial.rig.feeds.isEmpty { return }
        if end == .disposalInside { inside.disposable = trial.subscription }
        trial.rig.push(rounds: 3)
        switch end {
        case .completion:
            trial.rig.complete()
        case .error:
            trial.rig.feeds[0].send(.error(TrackedError(payload: trial.rig.make())))
            if row.is(.shared) { trial.subscription.dispose() }
        case .disposal, .disposalInside:
            trial.subscription.dispose()
        }
        trial.rig.settle()
        // A connection or a subject may store values until it is freed.
        if !row.is(.retains) { #expect(trial.rig.elements.live == 0, "elements, or errors") }
        #expect(trial.rig.captures.live == 0, "closures")
        withExtendedLifetime(trial) {}
    }
}
