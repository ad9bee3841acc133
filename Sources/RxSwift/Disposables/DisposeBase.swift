internal import CRxCore

/// The base class of the disposables that ``Resources`` counts.
///
/// Like a chain, it has a word of bits, and a lock for the state that the subclass documents. Bit 0 is *disposed*,
/// *counted* belongs to this class, and the other bits belong to the subclass.
public class DisposeBase {
    // The first stored property: `words` is its address. It is accessed only through that address: a formal access
    // would claim exclusive access for one thread.
    private let bitsAndLock = crx_chain()

    init() {
        if Resources.checkIn() { crx_lifetime_set_counted(words) }
    }

    deinit {
        Resources.checkOut(crx_lifetime_is_counted(bits))
    }

    private final var words: UnsafeMutablePointer<crx_chain> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_chain.self)
    }

    final var lock: UnsafeMutablePointer<crx_lock> { crx_state_lock(words) }

    /// The word, loaded with acquire.
    final var bits: UInt { crx_state_load_acquire(words) }

    /// Sets bits of the word and returns its old value.
    final func setBits(_ bits: UInt) -> UInt { crx_state_fetch_or_acq_rel(words, bits) }

    final var isMarkedDisposed: Bool { bits & 1 != 0 }

    /// Sets *disposed*. Returns true for the one caller that set it.
    final func markDisposed() -> Bool { setBits(1) & 1 == 0 }

    /// Moves the contents of a container out, to be released without being disposed of. Called by `deinit`, or by the
    /// owner of the only reference.
    func give(to freed: inout FreedDisposables) {}

    /// Frees nested containers in a loop, because they may be nested deeper than the stack allows. Called by `deinit`.
    final func freeIteratively() {
        var freed = FreedDisposables()
        give(to: &freed)
        freed.run()
    }
}

/// Containers to be released, without being disposed of, one after the other and not nested.
struct FreedDisposables {
    private var containers: ContiguousArray<DisposeBase> = []
    private var scheduled: ContiguousArray<ScheduledDisposable> = []

    /// Adds a container. Any other disposable has no contents, and is released at once.
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
