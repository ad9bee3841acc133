internal import CRxCore

/// The chains that feed a coordinator, in order of subscription.
///
/// The chain below owns the list. To avoid a cycle, the list retains nothing downstream of the coordinator.
///
/// Guards: `lock` protects all properties and links. Only the disposing thread uses the links of a list that `dispose`
/// has detached.
///
/// ``halt()`` may run under a lock of the Swift runtime, where no object may be freed. So ``halt()`` must never release
/// the last reference to a chain. After a halt, no chain is removed from the list. After the disposal, no chain is
/// inserted.
@usableFromInline
final class InnerChains: Upstream {
    struct List {
        var isDisposed = false
        var isHalted = false
        var first: InnerLifetime?
        unowned(unsafe) var last: InnerLifetime?
    }

    // Not in `list`, because a thread may wait for the lock while another thread accesses `list`.
    @exclusivity(unchecked)
    var lock = crx_lock()
    @exclusivity(unchecked)
    var list = List()
    /// The pause state of the chains; nil if the subscription has no ``FlowScope``.
    @usableFromInline
    let flow: InnerFlow?

    @usableFromInline
    init() {
        flow = nil
    }

    @usableFromInline
    init(of context: inout SubscribeContext) {
        flow = context.scope.map { InnerFlow($0) }
        context.feed(fromListening: self)
    }

    deinit {
        while let inner = list.first { list.first = inner.links.next.take() }
    }

    @usableFromInline
    var scope: FlowScope? { flow?.scope }

    @usableFromInline
    func insert(_ inner: InnerLifetime, as role: SourceRole = .primary) {
        crx_lock_acquire(&lock)
        if list.isDisposed {
            crx_lock_release(&lock)
            inner.dispose()
            return
        }
        inner.links.previous = list.last
        if let last = list.last { last.links.next = inner } else { list.first = inner }
        list.last = inner
        let gone = flow?.insert(inner, as: role)
        let isHalted = list.isHalted
        crx_lock_release(&lock)
        withExtendedLifetime(gone) {}
        if isHalted { inner.halt() }
    }

    @usableFromInline
    func dispose(_ inner: InnerLifetime) {
        remove(inner)
        inner.disposeUnlessEnding()
    }

    private func remove(_ inner: InnerLifetime) {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        guard !list.isDisposed, !list.isHalted, list.first === inner || inner.links.previous != nil else { return }
        let next = inner.links.next.take()
        if let next { next.links.previous = inner.links.previous } else { list.last = inner.links.previous }
        if let previous = inner.links.previous { previous.links.next = next } else { list.first = next }
        inner.links.previous = nil
    }

    @usableFromInline
    var sourceName: String { "one of the sources" }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        crx_lock_acquire(&lock)
        list.isDisposed = true
        let isHalted = list.isHalted
        var inner = isHalted ? list.first : list.first.take()
        list.last = nil
        let kept = flow?.kept.take()
        let next = flow?.next.take()
        crx_lock_release(&lock)
        defer { withExtendedLifetime((kept, next)) {} }
        if inner?.links.next != nil {
            // All chains are halted first: the disposal of one chain could make another chain start or resume work.
            var next = inner
            while let current = next {
                next = current.links.next
                current.haltUnlessEnding()
            }
        }
        while let current = inner {
            inner = isHalted ? current.links.next : current.links.next.take()
            current.disposeUnlessEnding()
        }
    }

    @usableFromInline
    func halt() {
        crx_lock_acquire(&lock)
        // Only the first call halts the chains. A thread that notices the halt after a pause notification may call this
        // function again. `insert` halts later chains.
        var inner = exchange(&list.isHalted, with: true) ? nil : list.first
        crx_lock_release(&lock)
        while let current = inner {
            current.haltUnlessEnding()
            crx_lock_acquire(&lock)
            inner = current.links.next
            crx_lock_release(&lock)
        }
    }
}
