public import CRxCore

extension UnsafeMutablePointer<crx_lock> {
    /// `body` must not call user code, or release a value whose release may call user code. It returns such a value
    /// instead.
    @inlinable
    package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        crx_lock_acquire(self)
        defer { crx_lock_release(self) }
        return body()
    }
}
