internal import CRxCore

/// The base class of disposables that ``Resources`` counts. It has a lock for the state of the subclass, and an atomic
/// word with the bits *disposed* (bit 0) and *counted*. A subclass may use the other bits.
public class DisposeBase {
    // The first stored property, because `words` is computed from the object's address. Accessed only through `words`,
    // because Swift would enforce exclusive access to the property.
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

    final var bits: UInt { crx_state_load_acquire(words) }

    final func setBits(_ bits: UInt) -> UInt { crx_state_fetch_or_acq_rel(words, bits) }

    final var isMarkedDisposed: Bool { bits & 1 != 0 }

    /// Returns true to the first caller only.
    final func markDisposed() -> Bool { setBits(1) & 1 == 0 }

    /// Moves the contents of a container to `freed`, which releases them without disposal. Called by `deinit`, or by
    /// the owner of the only reference.
    func give(to freed: inout FreedDisposables) {}

    /// Frees nested containers in a loop, because recursion could overflow the stack.
    final func freeIteratively() {
        var freed = FreedDisposables()
        give(to: &freed)
        freed.run()
    }
}

struct FreedDisposables {
    private var containers: ContiguousArray<DisposeBase> = []
    private var scheduled: ContiguousArray<ScheduledDisposable> = []

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
