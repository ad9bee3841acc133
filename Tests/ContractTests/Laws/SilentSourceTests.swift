import RxSwift
import TestSupport
import Testing

/// Sources that go without a word let the chain go, though nobody has disposed of it.
///
/// A task that awaits such a source waits for ever, and keeps what it captures.
@Suite struct SilentSourceTests {
    @Test("is let go with sources that nobody can push into any more", arguments: Table.rows(without: [.awaits, .anchored]))
    func release(_ row: Row) {
        let rig = Rig(.create)
        _ = row.form(rig).subscribe(Probe())
        rig.push(rounds: 2)
        // Timers have their last turn, and what they subscribe to goes as well.
        for _ in 0..<20 {
            for feed in rig.feeds { feed.forget() }
            rig.settle()
        }
        if rig.feeds.isEmpty { return }
        #expect(rig.elements.live == 0, "elements")
        #expect(rig.captures.live == 0, "closures")
    }
}
