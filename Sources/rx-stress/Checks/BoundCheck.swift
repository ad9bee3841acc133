import Synchronization

/// Checks that the number of pushed but undelivered events stays below a bound, even with a slow observer.
///
/// If at least 1 024 events wait, the gate makes pushers wait. Each wait is limited in time, so the number may
/// exceed 1 024.
final class BoundCheck: Sendable {
    private let pushed = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let peak = Atomic<Int>(0)
    private let limit: Int
    private let label: String
    private let violations: Violations

    /// The number of events to push: enough for a queue without a bound to exceed the limit.
    static let enough = 240_000

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

    var deliveries: Int { delivered.load(ordering: .relaxed) }

    /// Call it when nothing runs any more.
    ///
    /// - Parameter more: the number of waiting events allowed above the limit.
    func finish(and more: Int = 0) {
        let (most, limit) = (peak.load(ordering: .relaxed), limit + more)
        if most > limit { violations.record(.bound, "\(label): \(most) events waited at once, more than \(limit)") }
    }
}
