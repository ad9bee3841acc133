public import CRxCore

/// State protected by a lock that is held only briefly, for code off the hot path.
///
/// Under the lock, do not call user code or release an object: return the object instead.
// @unchecked Sendable because `state` is accessed only between acquire and release of `lock`.
@usableFromInline
package final class Locked<State: ~Copyable>: @unchecked Sendable {
    @usableFromInline
    let lock: UnsafeMutablePointer<crx_lock>
    @usableFromInline
    @exclusivity(unchecked)
    var state: State

    @inlinable
    package init(_ state: consuming State) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: crx_lock())
        self.state = state
    }

    @inlinable
    deinit {
        lock.deallocate()
    }

    @inlinable
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        crx_lock_acquire(lock)
        defer { crx_lock_release(lock) }
        return try body(&state)
    }
}
