import Glibc
import Synchronization

/// Checks that at most one thread at a time is inside an observer. That thread may enter it again.
///
/// All orderings are relaxed, because a check that synchronises would hide missing ordering in the library from
/// ThreadSanitizer.
struct SerialCheck: ~Copyable {
    private let inside = Atomic<UInt>(0)
    private let violations: Violations
    private let label: String

    init(_ label: String, _ violations: Violations) {
        self.label = label
        self.violations = violations
    }

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
