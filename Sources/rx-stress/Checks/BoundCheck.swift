import Synchronization

/// What was pushed and is not delivered yet stays below a bound, however slow the observer.
///
/// The gate makes pushers wait from 1 024 waiting events on, though not for ever: while the delivering thread is kept
/// from going on, each wait that times out lets one in, and up to 16 more the longer that lasts, so that nobody waits
/// long for an owner that is stuck. Beside eight busy loops on two cores 1 050 waited; without the wait it is most of
/// what is pushed.
final class BoundCheck: Sendable {
    private let pushed = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let peak = Atomic<Int>(0)
    private let violations: Violations

    private static let limit = 60_000
    /// How many must be pushed in all, so that a queue without a bound would pass the limit.
    static let enough = 240_000

    init(_ violations: Violations) {
        self.violations = violations
    }

    func push() {
        pushed.add(1, ordering: .relaxed)
    }

    func delivery() {
        let waiting = pushed.load(ordering: .relaxed) - delivered.add(1, ordering: .relaxed).newValue
        if waiting > peak.load(ordering: .relaxed) { peak.store(waiting, ordering: .relaxed) }
    }

    /// At rest.
    func finish() {
        let most = peak.load(ordering: .relaxed)
        if most > Self.limit { violations.record(.bound, "\(most) events waited at once, more than \(Self.limit)") }
    }
}
