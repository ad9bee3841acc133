import Synchronization

/// Checks that calls never outnumber permits, and that in the end every permit has been returned exactly once.
final class PermitCheck: Sendable {
    private let limit: Int
    private let running = Atomic<Int>(0)
    private let label: String
    private let violations: Violations

    init(limit: Int, _ label: String, _ violations: Violations) {
        self.limit = limit
        self.label = label
        self.violations = violations
    }

    /// Records the beginning of a call. The result's first `end()` records the end.
    func begin() -> Call {
        let now = running.add(1, ordering: .acquiringAndReleasing).newValue
        if now > limit { violations.record(.bound, "\(label): \(now) calls at once with \(limit) permits") }
        return Call(self)
    }

    final class Call: Sendable {
        private let check: PermitCheck
        private let hasEnded = Atomic<Bool>(false)

        fileprivate init(_ check: PermitCheck) {
            self.check = check
        }

        func end() {
            guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
            check.running.subtract(1, ordering: .acquiringAndReleasing)
        }
    }

    /// Call it when all callers have ended. `available` is the number of free permits.
    func finish(available: Int) {
        let left = running.load(ordering: .acquiring)
        if left != 0 { violations.record(.count, "\(label): \(left) calls have not ended") }
        if available < limit {
            violations.record(.count, "\(label): \(limit - available) of \(limit) permits did not come back")
        } else if available > limit {
            violations.record(.count, "\(label): \(available - limit) permits came back twice")
        }
    }
}
