public import CRxCore

/// The source of a chain. The chain can notify it that no more events are wanted.
@usableFromInline
protocol Upstream: AnyObject {
    /// Detaches the chain that was attached under `key`. Called once, by any thread, with no lock held.
    func dispose(key: UnsafeMutableRawPointer?)
    /// Marks the chains above it as stopped, and tears nothing down. Called by any thread, with no lock held.
    func halt()
    /// Pauses or resumes the sources above it; see `crx_state.h`. Called by one thread at a time, with no lock held. It
    /// runs no user code, and enqueues the jobs that resume.
    func tell(isPaused: Bool, _ agenda: inout FlowAgenda)
    /// The name of the source in messages.
    var sourceName: String { get }
}

extension Upstream {
    /// Does nothing: by default a source cannot pause.
    @usableFromInline
    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {}

    @usableFromInline
    var sourceName: String { "the source" }

    /// Does nothing: the source has no chain above it, or has other subscribers that may want events.
    @usableFromInline
    func halt() {}
}

/// A chain, or a sink with a chain of its own, that can be marked as stopped.
@usableFromInline
protocol Haltable: AnyObject {
    func halt()
}

/// The lifetime of a whole chain. `dispose()` tears down the source first, then the adopted teardowns, in order.
///
/// It owns everything upstream and nothing downstream, so a `Disposable` that is kept after the end keeps no closure
/// alive. There are two exceptions. A chain retains itself if its source was released silently and it has a teardown
/// that a user expects to run. If a chain is disposed of during a halt, the source and chains that the halt may be
/// reading live as long as this disposer.
///
/// Guards:
/// - `word`: atomic; `crx_state.h` has its bit table.
/// - `source`, `key`: written before `CRX_CHAIN_SOURCE_SET`. They then belong to the one of `feed` and `dispose` that
///   sets its bit second. A teller, the thread that notifies the source of a pause or resume, owns them while it has
///   taken the source out. If the chain is never disposed of, they belong to the last reference. A key is a node of the
///   source's bag, with a reference to it. From `CRX_CHAIN_HALTED` to `CRX_CHAIN_LOOKED` the halt may read both, and a
///   disposal then leaves them in place.
/// - `place`: the bag of the subject that has taken it; see `crx_bag.h`.
/// - `teardowns`: the lock in `word`. A disposal during a halt leaves the chains among them in a ``LookedAtChains``.
@usableFromInline
class SinkDisposer: Cancelable, Upstream, Haltable, @unchecked Sendable {  // because: see the guards above
    // The first stored property: `chain` points at it.
    @usableFromInline
    final var word = crx_chain()

    /// Memory for the chain's node in a subject that feeds it, so that the node needs no allocation.
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

    /// Makes a disposer that calls `onDisposed`, if that is not nil.
    @usableFromInline
    static func make(_ onDisposed: (() -> Void)?) -> SinkDisposer {
        if let onDisposed { TellingDisposer(onDisposed: onDisposed) } else { SinkDisposer() }
    }

    /// For subclasses with other initial bits.
    fileprivate init(bits: UInt) {
        crx_state_set_unshared(chain, bits | (Resources.checkIn() ? UInt(CRX_CHAIN_COUNTED) : 0))
    }

    deinit {
        let bits = crx_state_load_relaxed(chain)
        // The chain was not disposed of, and its source has dropped its own reference to the node. This drops the last
        // one.
        if bits & UInt(CRX_CHAIN_SOURCE_SET | CRX_CHAIN_DISPOSED) == UInt(CRX_CHAIN_SOURCE_SET), let key {
            crx_node_drop(key.assumingMemoryBound(to: crx_node.self))
        }
        Resources.checkOut(bits & UInt(CRX_CHAIN_COUNTED) != 0)
    }

    /// The disposer that contains `chain`. Not for the chain of a ``SubjectSubscription``.
    @inlinable
    static func of(_ chain: UnsafeMutablePointer<crx_chain>) -> Unmanaged<SinkDisposer> {
        let offset = MemoryLayout<UInt>.stride * 2
        return Unmanaged.fromOpaque(UnsafeRawPointer(chain) - offset)
    }

    @inlinable
    final var chain: UnsafeMutablePointer<crx_chain> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_chain.self)
    }

    /// The address of `place`. It is stable: a stored property of an object does not move.
    final var nodePlace: UnsafeMutablePointer<crx_node> { withUnsafeMutablePointer(to: &place) { $0 } }

    @usableFromInline
    final var isDisposed: Bool { crx_state_load_acquire(chain) & UInt(CRX_CHAIN_DISPOSED) != 0 }

    /// Marks the terminal event. Returns false if there was one before, or if the chain has been disposed of.
    final func stop() -> Bool {
        crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED)) & UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_DISPOSED) == 0
    }

    /// Sets the source of the chain. Called at most once for a chain. If the chain has been disposed of, the source is
    /// detached at once.
    @usableFromInline
    final func feed(from source: any Upstream, key: UnsafeMutableRawPointer? = nil) {
        self.source = source
        self.key = key
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_SOURCE_SET))
        if old & UInt(CRX_CHAIN_DISPOSED | CRX_CHAIN_HALTED | CRX_CHAIN_REASONS) != 0 { feedLate(source, old) }
    }

    /// Handles a source that is set after the chain has been paused, halted or disposed of.
    private final func feedLate(_ source: any Upstream, _ old: UInt) {
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 { return disposeSource(old) }
        if old & UInt(CRX_CHAIN_HALTED) != 0 { return source.halt() }
        var agenda = FlowAgenda(turnOf: nil)
        agenda.change(self)
        agenda.tellAll()
    }

    /// Notifies the source, which this thread has taken out, of the chain's pause state, and puts it back.
    final func tellSource(_ agenda: inout FlowAgenda) {
        guard let source else { return assertionFailure("the source was cleared while this thread notified it") }
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

    /// Whether the source may send one more element although the bound has been reached: elements may have been on
    /// their way when it was paused.
    final func maySend(above bound: Int, waiting: Int) -> Bool {
        crx_state_load_relaxed(chain) & CRX_CHAIN_HEEDS != 0 && waiting < bound + BoundarySource.onTheirWay
    }

    /// Disposes of a chain whose source sends more elements than its bound allows, and counts the rejected element as
    /// dropped.
    ///
    /// - Returns: the error to fail with; nil if another thread has disposed of the chain.
    final func disposeOverflowing(_ boundary: String, limit: Int, _ counters: BoundaryCounters?) -> FlowError? {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_DISPOSED) != 0 { return nil }
        counters?.dropped()
        let name = handedOutBy ?? (old & UInt(CRX_CHAIN_SOURCE_SET) != 0 ? source?.sourceName : nil)
        disposed(old)
        return .overflow(boundary: boundary, limit: limit, source: name ?? "the source")
    }

    /// The operator that sent out this chain's source as an inner sequence. It is named in messages because the program
    /// does not know the operator's subject. Called by the thread that has set `CRX_CHAIN_DISPOSED`, before it tears
    /// down.
    private final var handedOutBy: String? {
        crx_lock_acquire(&chain.pointee.lock)
        let adopted = teardowns
        crx_lock_release(&chain.pointee.lock)
        return adopted?.lazy.compactMap { ($0 as? RefCountInnerDisposable)?.sourceName }.first
    }

    /// Disposes of this chain as the source of another one, which an operator that enqueues or delays has made.
    @usableFromInline
    final func dispose(key _: UnsafeMutableRawPointer?) {
        dispose()
    }

    @usableFromInline
    final var sourceName: String { "a hop" }

    /// Adopts a teardown. If the chain has been disposed of, the teardown runs at once.
    ///
    /// - Parameter keeping: whether the teardown must still be able to run after the source has been released silently:
    ///   true for a user's teardown and for a count of observers.
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

    /// Makes the chain retain itself if its source is released silently. Called before such a teardown is adopted.
    @usableFromInline
    final func keep() {
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_KEPT))
    }

    /// Marks the chain and all chains above it as stopped, and tears nothing down. If a disposal has to wait for a
    /// scheduler, loops on that scheduler see the mark at once and end.
    ///
    /// It releases no object of the program, even if another thread disposes of the chain at the same time: a
    /// cancellation calls it while the Swift runtime holds the task's lock.
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

    /// The chain that a teardown is, for a halt; nil if it is not a chain. It only casts to classes, because it is
    /// called under the lock.
    fileprivate static func chain(of teardown: any Disposable) -> (any Haltable)? {
        if let chain = teardown as? SinkDisposer { return chain }
        return teardown as? SinkBase
    }

    @usableFromInline
    final func dispose() {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_DISPOSED) == 0 { disposed(old) }
    }

    /// Tears down the source, then the adopted teardowns. Called by the thread that has set `CRX_CHAIN_DISPOSED`.
    @inline(__always)
    private final func disposed(_ old: UInt) {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        if old & UInt(CRX_CHAIN_SOURCE_SET) != 0 { disposeSource(old) }
        if old & UInt(CRX_CHAIN_ADOPTED) != 0 { runTeardowns(old) }
        tellDisposed()
    }

    /// Runs `onDisposed` once: after a terminal event directly after it, otherwise as the last step of the disposal.
    @usableFromInline
    final func tellDisposed() {
        if mayTellDisposed() { takeOnDisposed()?.dispose() }
    }

    /// Sets `CRX_CHAIN_DISPOSED_TOLD`. Returns false if it was set before, as it is from the start in a chain without
    /// `onDisposed`. Most chains have none, and a load costs less than setting the bit again.
    @inline(__always)
    private final func mayTellDisposed() -> Bool {
        let told = UInt(CRX_CHAIN_DISPOSED_TOLD)
        if crx_state_load_relaxed(chain) & told != 0 { return false }
        return crx_state_fetch_or_acq_rel(chain, told) & told == 0
    }

    /// Takes the `onDisposed` of a subclass that has one. Called by the thread that has set `CRX_CHAIN_DISPOSED_TOLD`.
    fileprivate func takeOnDisposed() -> (any _DisposableReference)? { nil }

    /// Whether a halt may still be reading the source and the teardowns. If so, they are released with this disposer.
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

    /// Pushes the teardowns onto the agenda, ahead of its other entries, to run in the order of adoption.
    private final func handOver(to agenda: inout _DisposalAgenda, _ old: UInt) {
        crx_lock_acquire(&chain.pointee.lock)
        var taken = teardowns.take() ?? []
        if Self.isLookedAt(old) { teardowns = [LookedAtChains(taken)] }
        crx_lock_release(&chain.pointee.lock)
        while let last = taken.popLast() { agenda.push(last._reference) }
    }

    /// If a container holds this chain, or another chain has adopted it, it pushes its teardowns onto the caller's
    /// agenda. So a long series of chains, each the teardown of the next, is disposed of in a loop.
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

/// Retains adopted chains that a halt may still be reading, after a disposal has taken the teardowns. `dispose` does
/// nothing, because that disposal runs them.
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

/// The lifetime of a chain with an `onDisposed` closure.
///
/// Guards: `onDisposed` is written before the chain is shared, then owned by the thread that sets
/// `CRX_CHAIN_DISPOSED_TOLD`.
@usableFromInline
final class TellingDisposer: SinkDisposer, @unchecked Sendable {  // because: as its superclass, and the guard above
    private var onDisposed: AnonymousDisposable?

    /// - Parameter onDisposed: run once: directly after the terminal event, or as the last step of a disposal.
    @usableFromInline
    init(onDisposed: consuming @escaping () -> Void) {
        self.onDisposed = AnonymousDisposable(onDisposed)
        super.init(bits: UInt(CRX_CHAIN_SUBSCRIBED))
    }

    fileprivate override func takeOnDisposed() -> (any _DisposableReference)? { onDisposed.take() }
}

/// The lifetime of a chain that feeds a coordinator, listed in the coordinator's ``InnerChains``.
///
/// Guards: the links are protected by the lock of the list.
@usableFromInline
final class InnerDisposer: SinkDisposer, @unchecked Sendable {  // because: as its superclass, and the guard above
    struct Links {
        var next: InnerDisposer?
        unowned(unsafe) var previous: InnerDisposer?
    }

    @exclusivity(unchecked)
    var links = Links()

    @usableFromInline
    override init() {
        super.init()
    }

    /// For a source that follows another one. After subscribing it, the caller calls ``hasBeenSubscribed()``.
    @usableFromInline
    init(subscribing: Void) {
        super.init(bits: UInt(CRX_CHAIN_DISPOSED_TOLD))
    }

    @usableFromInline
    func hasBeenSubscribed() {
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_SUBSCRIBED))
    }

    /// Calls `handler` for the terminal event, unless there was one before or the source has been disposed of.
    ///
    /// If a source ends while it is still being subscribed, no other code disposes of it yet. It then disposes of
    /// itself after its end has been handled.
    func end(_ handler: (_ disposesItself: Bool) -> Void) {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED))
        if old & UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_DISPOSED) == 0 { handler(old & UInt(CRX_CHAIN_SUBSCRIBED) == 0) }
    }

    /// Disposes of the source, unless it is ending and will dispose of itself.
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
