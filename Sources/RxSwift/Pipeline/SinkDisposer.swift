public import CRxCore

/// What feeds a chain and can be told that the chain wants no more.
@usableFromInline
protocol Upstream: AnyObject {
    /// Lets the chain go that was attached under `key`. Called once, by any thread, with no lock held.
    func dispose(key: UnsafeMutableRawPointer?)
    /// Marks what feeds it as wanted no more, and tears nothing down. Called by any thread, with no lock held.
    func halt()
    /// Pauses what feeds it, or lets it go on; see `crx_state.h`. Called by one thread at a time, with no lock held: it
    /// runs no user code, and queues what is to go on.
    func tell(isPaused: Bool, _ agenda: inout FlowAgenda)
    /// What a user knows it by.
    var sourceName: String { get }
}

extension Upstream {
    /// It cannot pause.
    @usableFromInline
    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {}

    @usableFromInline
    var sourceName: String { "the source" }

    /// Nothing to mark: it has no chain above it, or others may want that.
    @usableFromInline
    func halt() {}
}

/// A chain that can be marked as wanted no more.
@usableFromInline
protocol Haltable: AnyObject {
    func halt()
}

/// The lifetime of a whole chain; its `dispose()` tears everything down, the source first, then what was adopted, in
/// order.
///
/// It owns what is upstream and nothing downstream, so a Disposable that is kept after the end keeps no closure alive.
/// There are two exceptions: a chain that keeps itself, for its source has gone silently and it has a teardown that
/// somebody may notice; and what a halt was looking at as the chain was disposed of, which goes with this disposer.
///
/// Guards:
/// - `word`: atomic; `crx_state.h` has its bit table.
/// - `source`, `key`: written before `CRX_CHAIN_SOURCE_SET`, then owned by whichever of `feed` and `dispose` set its
///   bit second; in between by a teller that has taken the source out; where nobody disposes, by the last reference. A
///   key is a node of the source's bag, and a reference to it. From `CRX_CHAIN_HALTED` to `CRX_CHAIN_LOOKED` the halt
///   may read them, and who disposes then leaves them.
/// - `place`: the bag of the subject that has taken it; see `crx_bag.h`.
/// - `teardowns`: the lock in `word`. Who disposes while a halt looks leaves the chains among them, in a
///   ``LookedAtChains``.
@usableFromInline
class SinkDisposer: Cancelable, Upstream, Haltable, @unchecked Sendable {  // because: see the guards above
    // The first stored property: `chain` points at it.
    @usableFromInline
    final var word = crx_chain()

    /// The chain's place in a subject that feeds it, so that it need not be allocated.
    private final var place = crx_node()

    @exclusivity(unchecked)
    private final var source: (any Upstream)?
    @exclusivity(unchecked)
    private final var key: UnsafeMutableRawPointer?
    @exclusivity(unchecked)
    private final var teardowns: [any Disposable]?

    @usableFromInline
    init() {
        crx_state_set_unshared(
            chain,
            UInt(CRX_CHAIN_DISPOSED_TOLD | CRX_CHAIN_SUBSCRIBED) | (Resources.checkIn() ? UInt(CRX_CHAIN_COUNTED) : 0))
    }

    /// One that calls `onDisposed`, if there is that.
    @usableFromInline
    static func make(_ onDisposed: (() -> Void)?) -> SinkDisposer {
        if let onDisposed { TellingDisposer(onDisposed: onDisposed) } else { SinkDisposer() }
    }

    /// For subclasses that begin with other bits.
    fileprivate init(bits: UInt) {
        crx_state_set_unshared(chain, bits | (Resources.checkIn() ? UInt(CRX_CHAIN_COUNTED) : 0))
    }

    deinit {
        let bits = crx_state_load_relaxed(chain)
        // Nobody has disposed of it, and its source has let it go: the node is left with this reference.
        if bits & UInt(CRX_CHAIN_SOURCE_SET | CRX_CHAIN_DISPOSED) == UInt(CRX_CHAIN_SOURCE_SET), let key {
            crx_node_drop(key.assumingMemoryBound(to: crx_node.self))
        }
        Resources.checkOut(bits & UInt(CRX_CHAIN_COUNTED) != 0)
    }

    /// The disposer whose word `chain` points at: any chain's but a ``SubjectSubscription``'s.
    @inlinable
    static func of(_ chain: UnsafeMutablePointer<crx_chain>) -> Unmanaged<SinkDisposer> {
        let offset = MemoryLayout<UInt>.stride * 2
        return Unmanaged.fromOpaque(UnsafeRawPointer(chain) - offset)
    }

    @inlinable
    final var chain: UnsafeMutablePointer<crx_chain> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_chain.self)
    }

    /// Memory for the node of the subject that feeds the chain: an object's stored property stays where it is.
    final var nodePlace: UnsafeMutablePointer<crx_node> { withUnsafeMutablePointer(to: &place) { $0 } }

    @usableFromInline
    final var isDisposed: Bool { crx_state_load_acquire(chain) & UInt(CRX_CHAIN_DISPOSED) != 0 }

    /// Marks the terminal event; false when there was one, or the chain is disposed.
    final func stop() -> Bool {
        crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED)) & UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_DISPOSED) == 0
    }

    /// Names what feeds the chain. At most once for a chain; on a disposed chain the source is detached at once.
    @usableFromInline
    final func feed(from source: any Upstream, key: UnsafeMutableRawPointer? = nil) {
        self.source = source
        self.key = key
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_SOURCE_SET))
        if old & UInt(CRX_CHAIN_DISPOSED | CRX_CHAIN_HALTED | CRX_CHAIN_REASONS) != 0 { feedLate(source, old) }
    }

    /// The chain is paused, or over, before it is fed.
    private final func feedLate(_ source: any Upstream, _ old: UInt) {
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 { return disposeSource(old) }
        if old & UInt(CRX_CHAIN_HALTED) != 0 { return source.halt() }
        var agenda = FlowAgenda(turnOf: nil)
        agenda.change(self)
        agenda.tellAll()
    }

    /// Tells the source, which this thread has taken out, what has become of the chain's level, and puts it back.
    final func tellSource(_ agenda: inout FlowAgenda) {
        guard let source else { return assertionFailure("the teller has the source") }
        while true {
            let told = UInt(CRX_CHAIN_LISTENS | CRX_CHAIN_PARKED)
            source.tell(isPaused: crx_state_load_acquire(chain) & told == told, &agenda)
            switch crx_state_put_back(chain) {
            case CRX_PUT_BACK_TELL_AGAIN: continue
            case CRX_PUT_BACK_HALTED: return source.halt()
            case CRX_PUT_BACK_DISPOSED: return disposeSource(crx_state_load_acquire(chain))
            default: return
            }
        }
    }

    /// Whether the source may send one more where so many wait that it should have paused: what can pause may have had
    /// something on its way.
    final func maySend(above bound: Int, waiting: Int) -> Bool {
        crx_state_load_relaxed(chain) & CRX_CHAIN_HEEDS != 0 && waiting < bound + BoundarySource.onTheirWay
    }

    /// Disposes of a chain whose source sends more than there is room for, and counts what is refused.
    ///
    /// - Returns: what there is to fail with; nil where another thread has disposed of the chain.
    final func disposeOverflowing(_ boundary: String, limit: Int, _ counters: BoundaryCounters?) -> FlowError? {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 { return nil }
        counters?.dropped()
        let name = handedOutBy ?? (old & UInt(CRX_CHAIN_SOURCE_SET) != 0 ? source?.sourceName : nil)
        disposed(old)
        return .overflow(boundary: boundary, limit: limit, source: name ?? "the source")
    }

    /// The operator that has handed out what feeds the chain: to the program its subject is unknown. For the thread
    /// that has set `CRX_CHAIN_DISPOSED`, before it tears down.
    private final var handedOutBy: String? {
        crx_lock_acquire(&chain.pointee.lock)
        let adopted = teardowns
        crx_lock_release(&chain.pointee.lock)
        return adopted?.lazy.compactMap { ($0 as? RefCountInnerDisposable)?.sourceName }.first
    }

    /// As the source of another chain: a chain that ends in one that queues or waits.
    @usableFromInline
    final func dispose(key _: UnsafeMutableRawPointer?) {
        dispose()
    }

    @usableFromInline
    final var sourceName: String { "a hop" }

    /// Takes a teardown over; on a disposed chain it is run at once.
    ///
    /// - Parameter keeping: whether somebody may notice that it is let go without having been run: a user's own, or a
    ///   count of observers.
    @usableFromInline
    final func adopt(_ teardown: any Disposable, keeping: Bool = false) {
        if type(of: teardown) == NopDisposable.self { return }
        crx_lock_acquire(&chain.pointee.lock)
        if teardowns == nil { teardowns = [] }
        teardowns?.append(teardown)
        crx_lock_release(&chain.pointee.lock)
        let old = crx_state_fetch_or_acq_rel(
            chain, UInt(keeping ? CRX_CHAIN_ADOPTED | CRX_CHAIN_KEPT : CRX_CHAIN_ADOPTED))
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 {
            runTeardowns(old)
        } else if old & UInt(CRX_CHAIN_HALTED) != 0 {
            Self.chain(of: teardown)?.halt()
        }
    }

    /// Has the chain keep itself if its source goes silently: a teardown that may be noticed is going to be adopted.
    @usableFromInline
    final func keep() {
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_KEPT))
    }

    /// Marks the chain and all that feeds it as wanted no more, and tears nothing down: where a disposal has to wait
    /// for a scheduler, loops on that see the mark at once, and end.
    ///
    /// It lets nothing go that is the program's, whoever disposes meanwhile: a cancellation halts while Swift has the
    /// task locked.
    @usableFromInline
    final func halt() {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_HALTED))
        if old & UInt(CRX_CHAIN_HALTED) != 0 { return }
        if old & UInt(CRX_CHAIN_DISPOSED) == 0 {
            if old & UInt(CRX_CHAIN_SOURCE_SET) != 0 { source?.halt() }
            if old & UInt(CRX_CHAIN_ADOPTED) != 0 { haltTeardowns() }
        }
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_LOOKED))
    }

    private final func haltTeardowns() {
        crx_lock_acquire(&chain.pointee.lock)
        let chains = teardowns?.compactMap { Self.chain(of: $0) } ?? []
        crx_lock_release(&chain.pointee.lock)
        for chain in chains { chain.halt() }
    }

    /// What a halt marks of a teardown; nil for what is no chain. Asks for classes alone: it is called under the lock.
    fileprivate static func chain(of teardown: any Disposable) -> (any Haltable)? {
        if let chain = teardown as? SinkDisposer { return chain }
        return teardown as? SinkBase
    }

    @usableFromInline
    final func dispose() {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_DISPOSED) == 0 { disposed(old) }
    }

    /// Tears down what feeds the chain, and then what was adopted. For the thread that has set the bit.
    @inline(__always)
    private final func disposed(_ old: UInt) {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        if old & UInt(CRX_CHAIN_SOURCE_SET) != 0 { disposeSource(old) }
        if old & UInt(CRX_CHAIN_ADOPTED) != 0 { runTeardowns(old) }
        tellDisposed()
    }

    /// Runs `onDisposed`, once: last in a disposal, directly after the terminal event otherwise.
    @usableFromInline
    final func tellDisposed() {
        if mayTellDisposed() { takeOnDisposed()?.dispose() }
    }

    /// Marks the chain's disposal as told; false where it has been, or where nobody wants to hear of it. Most chains
    /// are of that kind, and have the bit from the start: a look costs less than setting it again.
    @inline(__always)
    private final func mayTellDisposed() -> Bool {
        let told = UInt(CRX_CHAIN_DISPOSED_TOLD)
        if crx_state_load_relaxed(chain) & told != 0 { return false }
        return crx_state_fetch_or_acq_rel(chain, told) & told == 0
    }

    /// `onDisposed`, of a subclass that has one. For the thread that has set `CRX_CHAIN_DISPOSED_TOLD`.
    fileprivate func takeOnDisposed() -> (any _DisposableReference)? { nil }

    /// Whether a halt may be looking at what the chain has: then that goes with this disposer.
    private static func isLookedAt(_ old: UInt) -> Bool {
        old & UInt(CRX_CHAIN_HALTED | CRX_CHAIN_LOOKED) == UInt(CRX_CHAIN_HALTED)
    }

    private final func disposeSource(_ old: UInt) {
        if let source = Self.isLookedAt(old) ? source : source.take() { source.dispose(key: key) }
    }

    private final func runTeardowns(_ old: UInt) {
        var agenda = _DisposalAgenda()
        handOver(to: &agenda, old)
        agenda.run()
    }

    /// Puts the teardowns before what waits, in order.
    private final func handOver(to agenda: inout _DisposalAgenda, _ old: UInt) {
        crx_lock_acquire(&chain.pointee.lock)
        var taken = teardowns.take() ?? []
        if Self.isLookedAt(old) { teardowns = [LookedAtChains(taken)] }
        crx_lock_release(&chain.pointee.lock)
        while let last = taken.popLast() { agenda.push(last._reference) }
    }

    /// A chain that a container holds or another chain has adopted hands over what it has adopted itself: chains that
    /// are each the teardown of the next are disposed of in a loop.
    @usableFromInline
    final func _dispose(into agenda: inout _DisposalAgenda) {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 { return }
        if old & UInt(CRX_CHAIN_ADOPTED) == 0 { return disposed(old) }
        if old & UInt(CRX_CHAIN_SOURCE_SET) != 0 { disposeSource(old) }
        if mayTellDisposed(), let last = takeOnDisposed() { agenda.push(last) }
        handOver(to: &agenda, old)
    }
}

/// Chains that a halt may be looking at, and that who disposes has taken: they run with what was taken, and not again.
private final class LookedAtChains: Disposable {
    private let chains: [any Disposable]

    init(_ teardowns: [any Disposable]) {
        chains = teardowns.flatMap { teardown in
            if let before = teardown as? LookedAtChains { return before.chains }
            return SinkDisposer.chain(of: teardown) == nil ? [] : [teardown]
        }
    }

    func dispose() {}
}

/// The lifetime of a chain whose subscriber wants to hear of its end.
///
/// Guards: `onDisposed` is written before the chain is shared, then owned by the thread that sets
/// `CRX_CHAIN_DISPOSED_TOLD`.
@usableFromInline
final class TellingDisposer: SinkDisposer, @unchecked Sendable {  // because: as its superclass, and the guard above
    private var onDisposed: AnonymousDisposable?

    /// - Parameter onDisposed: run once, last in a disposal, or directly after the terminal event.
    @usableFromInline
    init(onDisposed: consuming @escaping () -> Void) {
        self.onDisposed = AnonymousDisposable(onDisposed)
        super.init(bits: UInt(CRX_CHAIN_SUBSCRIBED))
    }

    fileprivate override func takeOnDisposed() -> (any _DisposableReference)? { onDisposed.take() }
}

/// The lifetime of a chain that feeds a coordinator, listed in the coordinator's ``InnerChains``.
///
/// Guards: the links are under the lock of the list.
@usableFromInline
final class InnerDisposer: SinkDisposer, @unchecked Sendable {  // because: as its superclass, and the guard above
    @exclusivity(unchecked)
    var next: InnerDisposer?
    @exclusivity(unchecked)
    unowned(unsafe) var previous: InnerDisposer?

    @usableFromInline
    override init() {
        super.init()
    }

    /// Of a source that takes over from another one. Who subscribes it says with ``hasBeenSubscribed()`` when that is
    /// done.
    @usableFromInline
    init(subscribing: Void) {
        super.init(bits: UInt(CRX_CHAIN_DISPOSED_TOLD))
    }

    /// The source has been subscribed.
    @usableFromInline
    func hasBeenSubscribed() {
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_SUBSCRIBED))
    }

    /// Handles the terminal event by `handler`, unless there was one, or the source is disposed.
    ///
    /// A source that ends while it is still being subscribed is nobody's to dispose yet, but its own, once its end has
    /// been handled.
    func end(_ handler: (_ disposesItself: Bool) -> Void) {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED))
        if old & UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_DISPOSED) == 0 { handler(old & UInt(CRX_CHAIN_SUBSCRIBED) == 0) }
    }

    /// Disposes the source, unless that is its own to do.
    func disposeUnlessEnding() {
        if !isEnding { dispose() }
    }

    /// Halts the chain, unless it is ending and will dispose of itself.
    final func haltUnlessEnding() {
        if !isEnding { halt() }
    }

    @inline(__always)
    private final var isEnding: Bool {
        let bits = UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_SUBSCRIBED | CRX_CHAIN_HALTED)
        return crx_state_load_acquire(chain) & bits == UInt(CRX_CHAIN_STOPPED)
    }
}
