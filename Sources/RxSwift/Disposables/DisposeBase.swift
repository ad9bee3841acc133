internal import CRxCore

/// The base of the disposables that ``Resources`` counts.
///
/// It has two words, as a chain has: one of bits, and a lock over what the subclass says it guards. Bit 0 is
/// *disposed*, `counted` is this class's own, and the others are the subclass's.
public class DisposeBase {
    // The first stored property: `words` is its address. It is reached by that alone: a formal access would claim it
    // for one thread.
    private let bitsAndLock = crx_chain()

    /// The bit that says that the object was counted as a resource.
    private static let counted = UInt(CRX_CHAIN_COUNTED)

    init() {
        if Resources.checkIn() { crx_state_set_unshared(words, Self.counted) }
    }

    deinit {
        Resources.checkOut(bits & Self.counted != 0)
    }

    private final var words: UnsafeMutablePointer<crx_chain> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_chain.self)
    }

    final var lock: UnsafeMutablePointer<crx_lock> { crx_state_lock(words) }

    /// The word, with acquire.
    final var bits: UInt { crx_state_load_acquire(words) }

    /// Sets bits of the word, and returns what it was before.
    final func setBits(_ bits: UInt) -> UInt { crx_state_fetch_or_acq_rel(words, bits) }

    /// Whether it has been marked as disposed.
    final var isMarkedDisposed: Bool { bits & 1 != 0 }

    /// Sets *disposed*: true for the one caller that set it.
    final func markDisposed() -> Bool { setBits(1) & 1 == 0 }

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
    private var scheduled: ContiguousArray<ScheduledDisposable> = []

    /// Takes a container in; anything else holds nothing, and is let go at once.
    mutating func take(_ disposable: (any Disposable)?) {
        if let container = disposable as? DisposeBase {
            containers.append(container)
        } else if let container = disposable as? ScheduledDisposable {
            scheduled.append(container)
        }
    }

    mutating func run() {
        while true {
            if var container = containers.popLast() {
                if isKnownUniquelyReferenced(&container) { container.give(to: &self) }
            } else if var container = scheduled.popLast() {
                if isKnownUniquelyReferenced(&container) { container.give(to: &self) }
            } else {
                return
            }
        }
    }
}
