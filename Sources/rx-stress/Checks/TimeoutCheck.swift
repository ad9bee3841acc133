import Synchronization

/// Checks that a timeout fires once and not too early. After a cancellation, the timeout may fire only if it was
/// already running on another thread.
final class TimeoutCheck: Sendable {
    private let due = Atomic<UInt64>(0)
    private let fires = Atomic<Int>(0)
    private let silence: SilenceCheck
    private let violations: Violations
    private let label: String

    init(_ label: String, _ violations: Violations) {
        self.label = label
        self.violations = violations
        silence = SilenceCheck(label, violations)
    }

    /// Call this right before the timeout is started.
    func start(due moment: UInt64) {
        due.store(moment, ordering: .relaxed)
    }

    func fire(at moment: UInt64) {
        silence.delivery()
        if moment < due.load(ordering: .relaxed) { violations.record(.outcome, "\(label): came before its moment") }
        if fires.add(1, ordering: .relaxed).newValue == 2 { violations.record(.count, "\(label): came twice") }
    }

    /// Call this right after the cancellation, on the same thread.
    func cancelled() {
        silence.disposed()
    }

    var hasFired: Bool { fires.load(ordering: .relaxed) > 0 }

    /// Call this when nothing runs any more.
    func finish() {
        if !hasFired { violations.record(.count, "\(label): never came") }
    }
}
