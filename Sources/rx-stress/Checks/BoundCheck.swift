import Synchronization

/// What was pushed and is not delivered yet stays below a bound, however slow the observer.
final class BoundCheck: Sendable {
    private let pushed = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let peak = Atomic<Int>(0)
    private let limit: Int
    private let violations: Violations

    /// The gate makes pushers wait from 1 024 waiting events on, but not for ever: room for an owner that the kernel parks for a while.
    init(limit: Int = 16_384, _ violations: Violations) {
        self.limit = limit
        self.violations = violations
    }

    func push() {
        pushed.add(1, ordering: .relaxed)
    }

    func delivery() {
        let waiting = pushed.load(ordering: .relaxed) - delivered.add(1, ordering: .relaxed).newValue
        guard waiting > peak.load(ordering: .relaxed) else { return }
        peak.store(waiting, ordering: .relaxed)
    }

    var mostWaiting: Int { peak.load(ordering: .relaxed) }

    /// At rest.
    func finish() {
        if mostWaiting > limit { violations.record(.bound, "\(mostWaiting) events waited at once, more than \(limit)") }
    }
}
