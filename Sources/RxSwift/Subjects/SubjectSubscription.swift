internal import CRxCore

/// A closure that is subscribed to a subject with no operator between them: its sink, and what ends it, in one object.
///
/// The subject alone keeps the sink, and says when it lets it go: then the closure is freed, though the object may be
/// kept as a Disposable. Any other chain has stages and sources that keep its last sink as they like, and so a
/// ``SinkDisposer`` beside it.
///
/// Guards:
/// - `word`: atomic; `crx_state.h` has its bit table.
/// - `core`: written before `CRX_CHAIN_SOURCE_SET`, then owned by whichever of `attach` and `dispose` set its bit
///   second; where nobody disposes, by the last reference.
/// - `node`: written with `core`, and only read from there on. Where the subject has ended already, `attach` clears it,
///   though the bit stays: nobody else knows the object yet, and there is no node to remove.
/// - `place`: the bag of the subject; see `crx_bag.h`.
/// - `onNext`: called by who has the right to deliver to the node; freed by the thread to which the bag gives the sink
///   back, after which nobody delivers, or by the subscriber, where there has been no node.
@usableFromInline
final class SubjectSubscription<Element>: Sink<Element>, Cancelable, @unchecked Sendable {  // because of the guards
    private var word = crx_chain()
    private var place = crx_node()

    // Retained. Unmanaged, for it is set once: who sets it has nothing to release.
    private var core: Unmanaged<SubjectBase>?
    private var node: UnsafeMutablePointer<crx_node>?

    @usableFromInline
    @exclusivity(unchecked)
    var onNext: Handler

    /// A closure that is called in its place: a copy would be counted at each event. Hence no copies.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline
        let closure: ((Element) -> Void)?

        @usableFromInline
        init(_ closure: ((Element) -> Void)?) {
            self.closure = closure
        }

        @inlinable
        @inline(__always)
        func callAsFunction(_ element: Element) {
            closure?(element)
        }
    }

    @usableFromInline
    init(_ onNext: __shared ((Element) -> Void)?, push: consuming @escaping Push) {
        self.onNext = Handler(onNext)
        // The word has an address only once the object is there.
        super.init(
            chain: UnsafeMutablePointer(bitPattern: MemoryLayout<crx_chain>.alignment).unsafelyUnwrapped, push: push)
        chain = withUnsafeMutablePointer(to: &word) { $0 }
        if Resources.checkIn() { crx_state_set_unshared(chain, UInt(CRX_CHAIN_COUNTED)) }
    }

    deinit {
        let bits = crx_state_load_relaxed(chain)
        // Nobody has disposed of it, and the subject has let it go: the node is left with this reference.
        if bits & UInt(CRX_CHAIN_SOURCE_SET | CRX_CHAIN_DISPOSED) == UInt(CRX_CHAIN_SOURCE_SET) {
            if let node { crx_node_drop(node) }
            core?.release()
        }
        Resources.checkOut(bits & UInt(CRX_CHAIN_COUNTED) != 0)
    }

    /// Subscribes to `observable`, if that is a subject; nil otherwise.
    @inlinable
    static func make(
        _ observable: Observable<Element>, _ onNext: ((Element) -> Void)?
    ) -> SubjectSubscription<Element>? {
        guard let core = observable.subjectCore else { return nil }
        let subscription = SubjectSubscription(onNext) { base, element in
            let me = unsafeDowncast(base, to: SubjectSubscription<Element>.self)
            if me.isLive { me.onNext(element) }
        }
        core._withUnsafeGuaranteedRef { subscription.attach(to: $0, handle: observable) }
        return subscription
    }

    @usableFromInline
    func attach(to core: SubjectBase, handle: AnyObject) {
        let place = withUnsafeMutablePointer(to: &place) { $0 }
        if core.placesObservers {
            // Before the node is published: until then nobody can send to it or dispose of it.
            (self.core, node) = (.passRetained(core), place)
            crx_state_set_unshared(chain, UInt(CRX_CHAIN_SOURCE_SET))
            if core.place(self, place) { return }
        }
        attach(to: core, place, handle: handle)
    }

    @inline(never)
    private func attach(to core: SubjectBase, _ place: UnsafeMutablePointer<crx_node>, handle: AnyObject) {
        node = nil
        core.attach(self, place, handle) { node in
            (self.core, self.node) = (.passRetained(core), node)
            let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_SOURCE_SET))
            if old & UInt(CRX_CHAIN_DISPOSED) != 0 { leaveSubject() }
        }
        if node == nil { sourceIsGone() }
    }

    @usableFromInline
    var isDisposed: Bool { crx_state_load_acquire(chain) & UInt(CRX_CHAIN_DISPOSED) != 0 }

    @usableFromInline
    func dispose() {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_DISPOSED))
        if old & UInt(CRX_CHAIN_SOURCE_SET | CRX_CHAIN_DISPOSED) == UInt(CRX_CHAIN_SOURCE_SET) { leaveSubject() }
    }

    /// For the thread that has set the second of the two bits.
    @inline(__always)
    private func leaveSubject() {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        guard let core = core.take() else { return }
        core._withUnsafeGuaranteedRef { $0.dispose(key: node) }
        core.release()
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        let old = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED))
        if old & UInt(CRX_CHAIN_STOPPED | CRX_CHAIN_DISPOSED) != 0 { return }
        if let error { Hooks.unhandled(error, Element.self) }
        dispose()
    }

    @usableFromInline
    override func sourceIsGone() {
        // Let go before its place is cleared. What it holds may come back to here as it goes, and finds a sink that is
        // called no more, and an object that who calls this keeps.
        onNext = Handler(nil)
    }
}
