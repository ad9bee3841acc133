import Glibc
import Synchronization

/// Never two threads inside one observer; the one that is inside may come in again, nested.
///
/// All of its orderings are relaxed: a check that synchronised would hide from ThreadSanitizer what the library fails
/// to order.
struct SerialCheck: ~Copyable {
    private let inside = Atomic<UInt>(0)
    private let violations: Violations
    private let label: String

    init(_ label: String, _ violations: Violations) {
        self.label = label
        self.violations = violations
    }

    /// Returns what `leave` wants back.
    func enter() -> UInt {
        let me = pthread_self()
        let before = inside.exchange(me, ordering: .relaxed)
        if before != 0 && before != me {
            violations.record(.serial, "\(label): a second thread came in while one was inside")
        }
        return before
    }

    func leave(_ before: UInt) {
        inside.store(before, ordering: .relaxed)
    }
}
