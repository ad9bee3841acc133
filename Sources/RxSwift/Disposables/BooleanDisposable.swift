internal import CRxCore

/// A disposable that only records whether it has been disposed of. Any thread may use it.
public final class BooleanDisposable: Cancelable, @unchecked Sendable {  // its only state is an atomic word
    // The first stored property, because `FlagAndLock.flag(of: self)` returns its address.
    private let word: crx_flag

    /// Makes a disposable that has not been disposed of.
    public init() {
        word = crx_flag()
    }

    /// Makes a disposable whose initial state is `isDisposed`.
    public init(isDisposed: Bool) {
        word = crx_flag(word: isDisposed ? 1 : 0)
    }

    public var isDisposed: Bool { crx_flag_load_acquire(FlagAndLock.flag(of: self)) != 0 }

    public func dispose() {
        crx_flag_store_release(FlagAndLock.flag(of: self), 1)
    }
}
