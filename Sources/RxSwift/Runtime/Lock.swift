public import CRxCore

extension UnsafeMutablePointer<crx_lock> {
    /// Runs `body` under the lock. `body` must neither call user code nor release a value that user code may have made:
    /// it returns the value instead.
    @inlinable
    package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        crx_lock_acquire(self)
        defer { crx_lock_release(self) }
        return body()
    }
}
