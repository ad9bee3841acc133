internal import CRxCore

/// The base of the disposables that ``Resources`` counts.
///
/// Its words are its subclasses' to use: `flag` is an atomic word, `lock` guards what the subclass says it guards.
public class DisposeBase {
    // The first stored property: `flag` and `lock` are addresses in it.
    private let words = FlagAndLock()
    private let isCounted = Resources.checkIn()

    init() {}

    deinit {
        Resources.checkOut(isCounted)
    }

    final var flag: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }
    final var lock: UnsafeMutablePointer<crx_lock> { FlagAndLock.lock(of: self) }

    /// Whether bit 0 of the word is set: where a subclass keeps *disposed*.
    final var isMarkedDisposed: Bool { crx_flag_load_acquire(flag) & 1 != 0 }

    /// Sets *disposed*: true for the one caller that set it.
    final func markDisposed() -> Bool { crx_flag_fetch_or_acq_rel(flag, 1) & 1 == 0 }
}
