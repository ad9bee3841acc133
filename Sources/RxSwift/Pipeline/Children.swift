internal import CRxCore

/// The chains that feed a junction, in order of subscription; disposing them disposes each, at once.
///
/// It is apart from the junction because the chain below owns it: what is downstream of the junction must not be
/// reachable from there.
///
/// Guards: everything is under `lock`, but for the links of a list that `dispose` has taken, which are its own.
@usableFromInline
final class Children: Upstream {
    @exclusivity(unchecked)
    private var lock = crx_lock()
    @exclusivity(unchecked)
    private var first: ChildDisposer?
    @exclusivity(unchecked)
    private unowned(unsafe) var last: ChildDisposer?
    @exclusivity(unchecked)
    private var isDisposed = false
    @exclusivity(unchecked)
    private var isHalted = false

    @usableFromInline
    init() {}

    deinit {
        while let child = first { first = child.next.take() }
    }

    /// Lists a child; where the chain below is disposed already the child is disposed at once.
    @usableFromInline
    func insert(_ child: ChildDisposer) {
        crx_lock_acquire(&lock)
        if isDisposed {
            crx_lock_release(&lock)
            child.dispose()
            return
        }
        child.previous = last
        if let last { last.next = child } else { first = child }
        last = child
        let isHalted = isHalted
        crx_lock_release(&lock)
        if isHalted { child.halt() }
    }

    /// Takes a child off the list and disposes it.
    @usableFromInline
    func dispose(_ child: ChildDisposer) {
        remove(child)
        child.disposeUnlessEnding()
    }

    private func remove(_ child: ChildDisposer) {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        guard !isDisposed, first === child || child.previous != nil else { return }
        let next = child.next.take()
        if let next { next.previous = child.previous } else { last = child.previous }
        if let previous = child.previous { previous.next = next } else { first = next }
        child.previous = nil
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        crx_lock_acquire(&lock)
        isDisposed = true
        var child = first.take()
        last = nil
        crx_lock_release(&lock)
        while let current = child {
            child = current.next.take()
            current.disposeUnlessEnding()
        }
    }

    @usableFromInline
    func halt() {
        var all: [ChildDisposer] = []
        crx_lock_acquire(&lock)
        isHalted = true
        var child = first
        while let current = child {
            all.append(current)
            child = current.next
        }
        crx_lock_release(&lock)
        for child in all { child.halt() }
    }
}
