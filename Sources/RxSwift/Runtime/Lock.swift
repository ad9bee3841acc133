public import CRxCore

extension UnsafeMutablePointer<crx_lock> {
    /// Runs `body` under the lock. `body` must neither call user code nor release a value whose release may call user
    /// code: it returns the value instead.
    @inlinable
    package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        crx_lock_acquire(self)
        defer { crx_lock_release(self) }
        return body()
    }
}
