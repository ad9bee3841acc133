public import CRxCore

extension UnsafeMutablePointer<crx_lock> {
    /// Runs `body` under the lock. `body` must not call out, nor release a value that may be a user's. `body` returns
    /// such a value, and the caller releases it after unlocking.
    @inlinable
    package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        crx_lock_acquire(self)
        defer { crx_lock_release(self) }
        return body()
    }
}
