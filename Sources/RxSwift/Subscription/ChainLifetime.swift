public import CRxCore

/// The source of a chain. Its functions are called with no lock held.
@usableFromInline
protocol Upstream: AnyObject {
    /// Detaches the chain below. Called once, by any thread.
    func dispose(key: UnsafeMutableRawPointer?)
    /// Marks the chains above as stopped. Runs no teardown. Called by any thread.
    func halt()
    /// Pauses or resumes the source and the chains above it; see `crx_state.h`. Adds the jobs of resumed sources to
    /// `worklist`. Called by one thread at a time. Runs no user code, except as stated at ``PauseWorklist``.
    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist)
    var sourceName: String { get }
}

extension Upstream {
    @usableFromInline
    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {}

    @usableFromInline
    var sourceName: String { "the source" }

    /// Does nothing, because the source has no chain above it, or also feeds other chains.
    @usableFromInline
    func halt() {}
}

@usableFromInline
protocol Haltable: AnyObject {
    func halt()
}

/// The lifetime of a whole chain. `dispose()` first detaches the chain from its source, then runs the adopted teardowns
/// in order.
///
/// Until the chain ends, a lifetime retains its source and the adopted teardowns. It retains no object downstream. So a
/// `Disposable` that the program keeps after the end retains no closure, with two exceptions:
/// - If the source of a chain with a user's teardown is released without a terminal event, the chain retains itself
///   until it is disposed of.
/// - If the chain is disposed of during a halt, the lifetime retains the objects that the halt may be reading.
///
/// Guards:
/// - `word`: atomic; `crx_state.h` has its bit table.
/// - `source`, `key`: written by `feed` before it sets SOURCE_SET. `dispose` sets DISPOSED. The thread that sets the
///   later of the two bits takes both properties. While a thread passes the pause state to the source, it owns both.
///   During a halt, the halting thread may read both, and a disposal leaves them in place. Without a disposal, `deinit`
///   releases both. `key` is a retained node of the source's bag.
/// - `place`: belongs to the bag of the subject that uses it as a node; see `crx_bag.h`.
/// - `teardowns`: protected by the lock in `word`. A disposal during a halt replaces the list with a
///   ``ChainsBeingHalted``.
@usableFromInline
class ChainLifetime: Cancelable, Upstream, Haltable, @unchecked Sendable {  // because of the guards above
    // The first stored property, because `chain` is computed from its address.
    @usableFromInline
    final var word = crx_chain()

    /// Stored here to avoid an allocation.
    private final var place = crx_node()

    @exclusivity(unchecked)
    private final var source: (any Upstream)?
    @exclusivity(unchecked)
    private final var key: UnsafeMutableRawPointer?
    @exclusivity(unchecked)
    private final var teardowns: [any Disposable]?

    @usableFromInline
    init() {
        crx_lifetime_begin(chain, Resources.checkIn(), true, false)
    }

    @usableFromInline
    static func make(_ onDisposed: (() -> Void)?) -> ChainLifetime {
        if let onDisposed { NotifyingLifetime(onDisposed: onDisposed) } else { ChainLifetime() }
    }

    fileprivate init(isSubscribed: Bool, hasNotice: Bool) {
        crx_lifetime_begin(chain, Resources.checkIn(), isSubscribed, hasNotice)
    }

    deinit {
        let word = crx_lifetime_word_relaxed(chain)
        // If there was no disposal, the source has dropped its reference to the node, so `key` is the last reference.
        if crx_lifetime_has_live_source(word), let key {
            crx_node_drop(key.assumingMemoryBound(to: crx_node.self))
        }
        Resources.checkOut(crx_lifetime_is_counted(word))
    }

    /// Returns the lifetime of `chain`, which must not belong to a ``DirectSubjectSubscription``.
    @inlinable
    static func of(_ chain: UnsafeMutablePointer<crx_chain>) -> Unmanaged<ChainLifetime> {
        let offset = MemoryLayout<UInt>.stride * 2
        return Unmanaged.fromOpaque(UnsafeRawPointer(chain) - offset)
    }

    @inlinable
    final var chain: UnsafeMutablePointer<crx_chain> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_chain.self)
    }

    /// The address of `place`. It does not change, because `place` is stored in an object.
    final var nodePlace: UnsafeMutablePointer<crx_node> { withUnsafeMutablePointer(to: &place) { $0 } }

    @usableFromInline
    final var isDisposed: Bool { crx_lifetime_is_disposed(crx_lifetime_word(chain)) }

    /// Returns false if the chain had already ended or been disposed of.
    final func stop() -> Bool {
        !crx_lifetime_is_over(crx_lifetime_stop(chain))
    }

    /// Sets the source, at most once. If the chain has been disposed of, the source is detached at once.
    @usableFromInline
    final func feed(from source: any Upstream, key: UnsafeMutableRawPointer? = nil) {
        self.source = source
        self.key = key
        let old = crx_lifetime_set_source(chain)
        if crx_lifetime_is_over(old) || crx_pause_is_paused(old) { feedLate(source, old) }
    }

    private final func feedLate(_ source: any Upstream, _ old: UInt) {
        if crx_lifetime_is_disposed(old) { return disposeSource(old) }
        if crx_lifetime_is_halted(old) { return source.halt() }
        var worklist = PauseWorklist(turnOf: nil)
        worklist.add(self)
        worklist.notifyAll()
    }

    /// Passes the chain's pause state to the source. Called by the thread that owns `source` (see the guards); the call
    /// ends this ownership.
    final func notifySource(_ worklist: inout PauseWorklist) {
        guard let source else { return assertionFailure("the source was cleared while this thread notified it") }
        while true {
            source.setPaused(crx_pause_notified_state(crx_lifetime_word(chain)), &worklist)
            switch crx_pause_put_back(chain) {
            case CRX_PUT_BACK_NOTIFY_AGAIN: continue
            case CRX_PUT_BACK_HALTED: return source.halt()
            case CRX_PUT_BACK_DISPOSED: return disposeSource(crx_lifetime_word(chain))
            default: return
            }
        }
    }

    /// Disposes of this chain, which has overfilled a queue. Returns the error to send downstream; nil if another
    /// thread has disposed of the chain.
    final func disposeOverflowing(_ boundary: String, limit: Int, _ counters: BoundaryCounters?) -> FlowError? {
        let old = crx_lifetime_dispose(chain)
        if crx_lifetime_is_disposed(old) { return nil }
        counters?.dropped()
        let name = handedOutBy ?? (crx_lifetime_has_source(old) ? source?.sourceName : nil)
        disposed(old)
        return .overflow(boundary: boundary, limit: limit, source: name ?? "the source")
    }

    /// The name of the operator, such as `groupBy`, that sent this chain's source as an element. Read before the
    /// teardown, by the thread that has marked the chain as disposed.
    private final var handedOutBy: String? {
        crx_lock_acquire(&chain.pointee.lock)
        let adopted = teardowns
        crx_lock_release(&chain.pointee.lock)
        return adopted?.lazy.compactMap { ($0 as? RefCountInnerDisposable)?.sourceName }.first
    }

    /// Called by the chain below if an operator between the two chains enqueues or delays events.
    @usableFromInline
    final func dispose(key _: UnsafeMutableRawPointer?) {
        dispose()
    }

    @usableFromInline
    final var sourceName: String { "a scheduler boundary" }

    /// Adds a teardown. If the chain has been disposed of, the teardown runs at once.
    ///
    /// - Parameter keeping: whether the teardown must be able to run even after the source has been released without a
    ///   terminal event. Required for a user's teardown and for a teardown that counts observers.
    @usableFromInline
    final func adopt(_ teardown: any Disposable, keeping: Bool = false) {
        if type(of: teardown) == NopDisposable.self { return }
        crx_lock_acquire(&chain.pointee.lock)
        if teardowns == nil { teardowns = [] }
        teardowns?.append(teardown)
        crx_lock_release(&chain.pointee.lock)
        let old = crx_lifetime_adopt(chain, keeping)
        if crx_lifetime_is_disposed(old) {
            runTeardowns(old)
        } else if crx_lifetime_is_halted(old) {
            Self.chain(of: teardown)?.halt()
        }
    }

    /// Makes the chain outlive its source. Called before a `keeping` teardown is adopted.
    @usableFromInline
    final func keep() {
        crx_lifetime_keep(chain)
    }

    /// Marks this chain and all chains above it as stopped. Loops that run on a scheduler stop when they see this mark,
    /// even while a disposal waits for the scheduler.
    ///
    /// The cancellation of a task calls this function while the Swift runtime holds the task's lock. So this function
    /// releases no object of the program, even during a concurrent disposal.
    @usableFromInline
    final func halt() {
        let old = crx_lifetime_halt(chain)
        if crx_lifetime_is_halted(old) { return }
        if !crx_lifetime_is_disposed(old) {
            if crx_lifetime_has_source(old) { source?.halt() }
            if crx_lifetime_has_teardowns(old) { haltTeardowns() }
        }
        crx_lifetime_end_halt(chain)
    }

    private final func haltTeardowns() {
        crx_lock_acquire(&chain.pointee.lock)
        let chains = teardowns?.compactMap { Self.chain(of: $0) } ?? []
        crx_lock_release(&chain.pointee.lock)
        for chain in chains { chain.halt() }
    }

    /// Returns `teardown` if it is a chain, which a halt must mark too. May be called under the lock, so it casts only
    /// to classes: a cast to a protocol may search the program's conformances.
    fileprivate static func chain(of teardown: any Disposable) -> (any Haltable)? {
        if let chain = teardown as? ChainLifetime { return chain }
        return teardown as? SinkBase
    }

    @usableFromInline
    final func dispose() {
        assert(isControlPoint("dispose"))
        let old = crx_lifetime_dispose(chain)
        if !crx_lifetime_is_disposed(old) { disposed(old) }
    }

    /// Marks the chain as disposed; the caller may hold a lock. After unlocking, the caller must pass the result to
    /// ``disposed(_:)``. Returns nil if the chain was already disposed of.
    final func markDisposed() -> UInt? {
        let old = crx_lifetime_dispose(chain)
        return crx_lifetime_is_disposed(old) ? nil : old
    }

    /// Completes the disposal. Called by the thread that has marked the chain as disposed.
    @inline(__always)
    final func disposed(_ old: UInt) {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        if crx_lifetime_has_source(old) { disposeSource(old) }
        if crx_lifetime_has_teardowns(old) { runTeardowns(old) }
        notifyDisposed()
    }

    /// Runs `onDisposed` once. Called after a terminal event, and as the last step of the disposal.
    @usableFromInline
    final func notifyDisposed() {
        if crx_lifetime_takes_notice(chain) { takeOnDisposed()?.dispose() }
    }

    fileprivate func takeOnDisposed() -> (any _DisposableReference)? { nil }

    private final func disposeSource(_ old: UInt) {
        if let source = crx_lifetime_is_being_halted(old) ? source : source.take() { source.dispose(key: key) }
    }

    private final func runTeardowns(_ old: UInt) {
        var worklist = _DisposalWorklist()
        handOver(to: &worklist, old)
        worklist.run()
    }

    /// Adds the teardowns to `worklist`, where they run next, in order of adoption.
    private final func handOver(to worklist: inout _DisposalWorklist, _ old: UInt) {
        crx_lock_acquire(&chain.pointee.lock)
        var taken = teardowns.take() ?? []
        if crx_lifetime_is_being_halted(old) { teardowns = [ChainsBeingHalted(taken)] }
        crx_lock_release(&chain.pointee.lock)
        while let last = taken.popLast() { worklist.push(last._reference) }
    }

    @usableFromInline
    final func _dispose(into worklist: inout _DisposalWorklist) {
        let old = crx_lifetime_dispose(chain)
        if crx_lifetime_is_disposed(old) { return }
        if !crx_lifetime_has_teardowns(old) { return disposed(old) }
        if crx_lifetime_has_source(old) { disposeSource(old) }
        if crx_lifetime_takes_notice(chain), let last = takeOnDisposed() { worklist.push(last) }
        handOver(to: &worklist, old)
    }
}

/// Retains the chains that a halt may be reading.
private final class ChainsBeingHalted: Disposable {
    private let chains: [any Disposable]

    init(_ teardowns: [any Disposable]) {
        chains = teardowns.flatMap { teardown in
            if let before = teardown as? ChainsBeingHalted { return before.chains }
            return ChainLifetime.chain(of: teardown) == nil ? [] : [teardown]
        }
    }

    func dispose() {}
}

/// Guards: `onDisposed` is written before the chain is shared. Then only the thread that must run it
/// (`crx_lifetime_takes_notice`) uses it.
@usableFromInline
final class NotifyingLifetime: ChainLifetime, @unchecked Sendable {  // because of the guards
    private var onDisposed: AnonymousDisposable?

    @usableFromInline
    init(onDisposed: consuming @escaping () -> Void) {
        self.onDisposed = AnonymousDisposable(onDisposed)
        super.init(isSubscribed: true, hasNotice: true)
    }

    fileprivate override func takeOnDisposed() -> (any _DisposableReference)? { onDisposed.take() }
}

/// The lifetime of a chain that feeds a coordinator, stored in the coordinator's ``InnerChains``.
///
/// Guards: `links` is protected by the lock of the ``InnerChains``.
@usableFromInline
final class InnerLifetime: ChainLifetime, @unchecked Sendable {  // because of the guards
    struct Links {
        var next: InnerLifetime?
        unowned(unsafe) var previous: InnerLifetime?
    }

    @exclusivity(unchecked)
    var links = Links()

    @usableFromInline
    override init() {
        super.init()
    }

    /// Creates a lifetime for a source that may end during the call that subscribes to it. After that call, the caller
    /// must call ``hasBeenSubscribed()``.
    @usableFromInline
    init(subscribing: Void) {
        super.init(isSubscribed: false, hasNotice: false)
    }

    @usableFromInline
    func hasBeenSubscribed() {
        crx_lifetime_set_subscribed(chain)
    }

    /// If the source has neither ended nor been disposed of, calls `handler`, which handles the end.
    ///
    /// With ``init(subscribing:)``, the argument of `handler` is true until ``hasBeenSubscribed()`` is called. If the
    /// argument is true, `handler` must dispose of this lifetime after it has handled the end.
    func end(_ handler: (_ disposesItself: Bool) -> Void) {
        let old = crx_lifetime_stop(chain)
        if !crx_lifetime_is_over(old) { handler(!crx_lifetime_is_subscribed(old)) }
    }

    func disposeUnlessEnding() {
        if !isEnding { dispose() }
    }

    final func haltUnlessEnding() {
        if !isEnding { halt() }
    }

    @inline(__always)
    private final var isEnding: Bool { crx_lifetime_is_ending(crx_lifetime_word(chain)) }
}
