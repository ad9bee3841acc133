internal import CRxCore

/// A disposable that only remembers whether it was disposed.
///
/// Any thread may dispose of it or ask.
public final class BooleanDisposable: Cancelable, @unchecked Sendable {  // because its one word is atomic
    // The first stored property: `flag` is its address.
    private let word: crx_flag

    /// Makes one that is not disposed.
    public init() {
        word = crx_flag()
    }

    /// Makes one that may be disposed already.
    ///
    /// - Parameter isDisposed: whether it is.
    public init(isDisposed: Bool) {
        word = crx_flag(word: isDisposed ? 1 : 0)
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { crx_flag_load_acquire(FlagAndLock.flag(of: self)) != 0 }

    /// Marks it disposed.
    public func dispose() {
        crx_flag_store_release(FlagAndLock.flag(of: self), 1)
    }
}
