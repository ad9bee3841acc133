internal import CRxCore

/// The subscription of a closure to a subject: sink and disposable in one object.
///
/// As a sink, the object is retained only by the subject. When the subject releases the sink, it calls
/// ``sourceIsGone()``, which frees the closure even if the program still retains the disposable.
///
/// Guards:
/// - `word`: atomic; `crx_state.h` has its bit table.
/// - `core`, `node`: written before SOURCE_SET is set. Exception: if the subject has already ended or been disposed of,
///   `attach` clears `node` later. At that time, no other thread has a reference to this object. `attach` sets
///   SOURCE_SET, and `dispose` sets DISPOSED. The thread that sets the later of the two bits releases `core`. Without a
///   disposal, `deinit` releases `core`.
/// - `place`: belongs to the subject's bag; see `crx_bag.h`.
/// - `onNext`: called by the thread that may deliver to the node. After the last delivery, the thread that releases the
///   sink from the bag frees the closure. If there is no node, the subscribing thread frees the closure.
@usableFromInline
// @unchecked Sendable because of the guards.
final class DirectSubjectSubscription<Element>: Sink<Element>, Cancelable, @unchecked Sendable {
    private var word = crx_chain()
    private var place = crx_node()

    // The subject's core, retained. `Unmanaged`, because the setter of a strong reference would also release an old
    // value.
    private var core: Unmanaged<SubjectBase>?
    private var node: UnsafeMutablePointer<crx_node>?

    @usableFromInline
    @exclusivity(unchecked)
    var onNext: Handler

    /// A closure that cannot be copied, so a call does not retain it.
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
        // The word's address is known only after initialisation.
        super.init(
            chain: UnsafeMutablePointer(bitPattern: MemoryLayout<crx_chain>.alignment).unsafelyUnwrapped, push: push)
        chain = withUnsafeMutablePointer(to: &word) { $0 }
        if Resources.checkIn() { crx_lifetime_set_counted(chain) }
    }

    deinit {
        let word = crx_lifetime_word_relaxed(chain)
        // Without a disposal, this object has the only reference to the node: the subject has dropped its reference.
        if crx_lifetime_has_live_source(word) {
            if let node { crx_node_drop(node) }
            core?.release()
        }
        Resources.checkOut(crx_lifetime_is_counted(word))
    }

    @inlinable
    static func make(
        _ observable: Observable<Element>, _ onNext: ((Element) -> Void)?
    ) -> DirectSubjectSubscription<Element>? {
        guard FastPaths.areUsed, let core = core(of: observable) else { return nil }
        assert(isControlPoint("subscribe"))
        let subscription = DirectSubjectSubscription(onNext) { base, element in
            let me = unsafeDowncast(base, to: DirectSubjectSubscription<Element>.self)
            if me.isLive { me.onNext(element) }
        }
        core.use { subscription.attach(to: $0, handle: observable) }
        return subscription
    }

    /// The core of a subject; nil for other observables, and while the program counts or lists subscriptions, or
    /// records call stacks.
    @usableFromInline
    static func core(of observable: ObservableBase) -> Unretained<SubjectBase>? {
        guard let core = observable.subjectCore else { return nil }
        let isWatched = crx_watch_any(CRX_WATCH_COUNTERS | CRX_WATCH_LISTING) || Hooks.recordCallStackOnError
        return isWatched ? nil : core
    }

    @usableFromInline
    func attach(to core: SubjectBase, handle: AnyObject) {
        let place = withUnsafeMutablePointer(to: &place) { $0 }
        if core.placesObservers {
            // Until the node is published, no other thread can use this object.
            (self.core, node) = (.passRetained(core), place)
            crx_lifetime_set_source_unshared(chain)
            if core.place(self, place) { return }
        }
        attach(to: core, place, handle: handle)
    }

    @inline(never)
    private func attach(to core: SubjectBase, _ place: UnsafeMutablePointer<crx_node>, handle: AnyObject) {
        node = nil
        core.attach(self, place, handle) { node in
            (self.core, self.node) = (.passRetained(core), node)
            if crx_lifetime_is_disposed(crx_lifetime_set_source(chain)) { leaveSubject() }
        }
        if node == nil { sourceIsGone() }
    }

    @usableFromInline
    var isDisposed: Bool { crx_lifetime_is_disposed(crx_lifetime_word(chain)) }

    @usableFromInline
    func dispose() {
        assert(isControlPoint("dispose"))
        if crx_lifetime_has_live_source(crx_lifetime_dispose(chain)) { leaveSubject() }
    }

    /// Called by the thread that has set the later of the bits SOURCE_SET and DISPOSED.
    @inline(__always)
    private func leaveSubject() {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        guard let core = core.take() else { return }
        core._withUnsafeGuaranteedRef { $0.dispose(key: node) }
        core.release()
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        if crx_lifetime_is_over(crx_lifetime_stop(chain)) { return }
        if let error { Hooks.unhandled(error, Element.self) }
        dispose()
    }

    @usableFromInline
    override func sourceIsGone() {
        // This assignment releases the old closure before it stores the new value. Objects that the closure captured
        // may call this object when they are freed. That is safe: this object receives no more events, and the caller
        // retains it.
        onNext = Handler(nil)
    }
}
