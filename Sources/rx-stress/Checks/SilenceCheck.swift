import Glibc
import Synchronization

/// Checks that no event is delivered after `dispose()` has returned. Another thread may still finish one delivery.
struct SilenceCheck: ~Copyable {
    private let lifetime = Atomic<UInt>(0)
    private let late = Atomic<Int>(0)
    private let violations: Violations
    private let label: String

    init(_ label: String, _ violations: Violations) {
        self.label = label
        self.violations = violations
    }

    /// Call this right after `dispose()`, on the same thread.
    func disposed() {
        lifetime.store(pthread_self(), ordering: .relaxed)
    }

    func delivery() {
        let thread = lifetime.load(ordering: .relaxed)
        guard thread != 0 else { return }
        if thread == pthread_self() {
            violations.record(.silence, "\(label): delivered on the thread that had disposed it")
        } else if late.add(1, ordering: .relaxed).newValue == 2 {
            violations.record(.silence, "\(label): more than the one delivery under way came after dispose")
        }
    }
}
