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

    /// Moves what a container holds out of it, to be let go without being disposed of. Called while it is freed, or by
    /// the only owner.
    func give(to freed: inout FreedDisposables) {}

    /// Frees containers of containers in a loop: they may be nested deeper than the stack is. Called while this is
    /// freed.
    final func freeIteratively() {
        var freed = FreedDisposables()
        give(to: &freed)
        freed.run()
    }
}

/// Containers that nobody has disposed of, and that are let go one after the other, not one from within the other.
struct FreedDisposables {
    private var containers: ContiguousArray<DisposeBase> = []

    /// Takes a container in; anything else holds nothing, and is let go at once.
    mutating func take(_ disposable: (any Disposable)?) {
        if let container = disposable as? DisposeBase { containers.append(container) }
    }

    mutating func run() {
        while var container = containers.popLast() {
            if isKnownUniquelyReferenced(&container) { container.give(to: &self) }
        }
    }
}
