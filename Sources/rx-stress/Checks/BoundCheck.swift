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
    private let limit: Int
    private let label: String
    private let violations: Violations

    /// How many must be pushed in all, so that a queue without a bound would pass the limit.
    static let enough = 240_000

    /// - Parameter limit: how many may wait; what the gate allows is its default.
    init(_ violations: Violations, limit: Int = 60_000, _ label: String = "observer") {
        self.label = label
        self.limit = limit
        self.violations = violations
    }

    func push() {
        pushed.add(1, ordering: .relaxed)
    }

    func delivery() {
        let waiting = pushed.load(ordering: .relaxed) - delivered.add(1, ordering: .relaxed).newValue
        if waiting > peak.load(ordering: .relaxed) { peak.store(waiting, ordering: .relaxed) }
    }

    /// How many have been delivered by now.
    var deliveries: Int { delivered.load(ordering: .relaxed) }

    /// At rest.
    ///
    /// - Parameter more: how many may wait besides.
    func finish(and more: Int = 0) {
        let (most, limit) = (peak.load(ordering: .relaxed), limit + more)
        if most > limit { violations.record(.bound, "\(label): \(most) events waited at once, more than \(limit)") }
    }
}
