internal import CRxCore

/// State under a short lock, for code that is not hot.
///
/// `withLock` holds no lock longer than its body runs: the body calls nothing of a user's, and hands out what is to be
/// released.
// @unchecked Sendable because `state` is touched only between acquire and release of `lock`.
package final class Locked<State: ~Copyable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<crx_lock>
    @exclusivity(unchecked)
    private var state: State

    package init(_ state: consuming State) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: crx_lock())
        self.state = state
    }

    deinit {
        lock.deallocate()
    }

    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        crx_lock_acquire(lock)
        defer { crx_lock_release(lock) }
        return try body(&state)
    }
}
