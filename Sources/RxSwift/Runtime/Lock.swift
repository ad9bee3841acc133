public import CRxCore

extension UnsafeMutablePointer<crx_lock> {
    /// `body` must neither call user code nor release a value whose release may call user code: it returns the value.
    @inlinable
    package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        crx_lock_acquire(self)
        defer { crx_lock_release(self) }
        return body()
    }
}
