public import CRxCore

/// What feeds a chain and can be told that the chain wants no more.
@usableFromInline
protocol Upstream: AnyObject {
    /// Lets the chain go that was attached under `key`. Called once, by any thread, with no lock held.
    func detach(_ key: UnsafeMutableRawPointer?)
}

/// The lifetime of a whole chain; its `dispose()` tears everything down, the source first, then what was adopted, in order.
///
/// It owns what is upstream and nothing downstream, so a Disposable that is kept after the end keeps no closure alive. The one exception is a
/// chain that keeps itself: its source has gone without a word, and it has a teardown that somebody may notice.
///
/// Guards:
/// - `word`: atomic; `crx_state.h` has its bit table.
/// - `source`, `key`: written before `CRX_CHAIN_SOURCE_SET`, then owned by whichever of `feed` and `dispose` set its bit second; where nobody
///   disposes, by the last reference. A key is a node of the source's bag, and a reference to it.
/// - `teardowns`: the lock in `word`.
@usableFromInline
class SinkDisposer: Cancelable, Upstream, @unchecked Sendable {  // because: see the guards above
    // The first stored property: `chain` points at it.
    @usableFromInline
    @exclusivity(unchecked)
    final var word = crx_chain()

    @exclusivity(unchecked)
    private final var source: (any Upstream)?
    @exclusivity(unchecked)
    private final var key: UnsafeMutableRawPointer?
    @exclusivity(unchecked)
    private final var teardowns: [any Disposable]?

    @usableFromInline
    init() {
        crx_state_set_unshared(chain, UInt(CRX_CHAIN_DISPOSED_TOLD) | (Resources.checkIn() ? UInt(CRX_CHAIN_COUNTED) : 0))
    }

    /// For subclasses that have something to do when the chain is disposed.
    fileprivate init(telling: Void) {
        if Resources.checkIn() { crx_state_set_unshared(chain, UInt(CRX_CHAIN_COUNTED)) }
    }

    deinit {
        // Nobody has disposed of it, and its source has let it go: the node is left with this reference.
        if source != nil, let key { crx_node_drop(key.assumingMemoryBound(to: crx_node.self)) }
        Resources.checkOut(crx_state_load_relaxed(chain) & UInt(CRX_CHAIN_COUNTED) != 0)
    }

    /// The disposer whose word `chain` points at.
    @inlinable
    static func of(_ chain: UnsafeMutablePointer<crx_chain>) -> Unmanaged<SinkDisposer> {
        let offset = MemoryLayout<UInt>.stride * 2
        return Unmanaged.fromOpaque(UnsafeRawPointer(chain) - offset)
    }

    @inlinable
    final var chain: UnsafeMutablePointer<crx_chain> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_chain.self)
    }

    @usableFromInline
    final var isDisposed: Bool { crx_state_load_acquire(chain) & UInt(CRX_CHAIN_DISPOSED) != 0 }

    /// Marks the terminal event; false when there was one, or the chain is disposed.
    final func stop() -> Bool {
        crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED)) & UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_DISPOSED) == 0
    }

    /// Names what feeds the chain. At most once for a chain; on a disposed chain the source is detached there and then.
    @usableFromInline
    final func feed(from source: any Upstream, key: UnsafeMutableRawPointer? = nil) {
        self.source = source
        self.key = key
        if crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_SOURCE_SET)) & UInt(CRX_CHAIN_DISPOSED) != 0 {
            detachSource()
        }
    }

    /// As the source of another chain: a chain that ends in one that queues or waits.
    @usableFromInline
    final func detach(_: UnsafeMutableRawPointer?) {
        dispose()
    }

    /// Takes a teardown over; on a disposed chain it is run there and then.
    ///
    /// - Parameter keeping: whether somebody may notice that it is let go without having been run: a user's own, or a count of observers.
    @usableFromInline
    final func adopt(_ teardown: any Disposable, keeping: Bool = false) {
        if type(of: teardown) == NopDisposable.self { return }
        crx_lock_acquire(&chain.pointee.lock)
        if teardowns == nil { teardowns = [] }
        teardowns?.append(teardown)
        crx_lock_release(&chain.pointee.lock)
        let bits = UInt(keeping ? CRX_CHAIN_ADOPTED | CRX_CHAIN_KEPT : CRX_CHAIN_ADOPTED)
        if crx_state_fetch_or_acq_rel(chain, bits) & UInt(CRX_CHAIN_DISPOSED) != 0 {
            runTeardowns()
        }
    }

    /// Has the chain keep itself if its source goes without a word: a teardown that may be noticed is going to be adopted.
    @usableFromInline
    final func keep() {
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_KEPT))
    }

    @usableFromInline
    final func dispose() {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 { return }
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        if old & UInt(CRX_CHAIN_SOURCE_SET) != 0 { detachSource() }
        if old & UInt(CRX_CHAIN_ADOPTED) != 0 { runTeardowns() }
        tellDisposed()
    }

    /// Runs `onDisposed`, once: last in a disposal, directly after the terminal event otherwise.
    @usableFromInline
    final func tellDisposed() {
        let told = UInt(CRX_CHAIN_DISPOSED_TOLD)
        if crx_state_fetch_or_acq_rel(chain, told) & told != 0 { return }
        runOnDisposed()
    }

    /// Called once, by ``tellDisposed()``, of a subclass that has something to do.
    fileprivate func runOnDisposed() {}

    private final func detachSource() {
        if let source = source.take() { source.detach(key) }
    }

    private final func runTeardowns() {
        crx_lock_acquire(&chain.pointee.lock)
        let taken = teardowns.take()
        crx_lock_release(&chain.pointee.lock)
        for teardown in taken ?? [] { teardown.dispose() }
    }
}

/// The lifetime of a chain whose subscriber wants to hear of its end.
///
/// Guards: `onDisposed` is written before the chain is shared, then owned by whoever sets `CRX_CHAIN_DISPOSED_TOLD`.
@usableFromInline
final class TellingDisposer: SinkDisposer, @unchecked Sendable {  // because: as its superclass, and the guard above
    @exclusivity(unchecked)
    private var onDisposed: AnonymousDisposable?

    /// - Parameter onDisposed: run once, last in a disposal, or directly after the terminal event.
    @usableFromInline
    init(onDisposed: @escaping () -> Void) {
        self.onDisposed = AnonymousDisposable(onDisposed)
        super.init(telling: ())
    }

    fileprivate override func runOnDisposed() {
        onDisposed.take()?.dispose()
    }
}

/// The lifetime of a chain that feeds a junction, listed in the junction's ``Children``.
///
/// Guards: the links are under the lock of the list.
@usableFromInline
final class ChildDisposer: SinkDisposer, @unchecked Sendable {  // because: as its superclass, and the guard above
    @exclusivity(unchecked)
    var next: ChildDisposer?
    @exclusivity(unchecked)
    unowned(unsafe) var previous: ChildDisposer?

    @usableFromInline
    override init() {
        super.init()
    }
}
