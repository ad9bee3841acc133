internal import CRxCore

/// The chains that feed a coordinator, in order of subscription; disposing them disposes each, at once.
///
/// It is apart from the coordinator because the chain below owns it: what is downstream of the coordinator must not be
/// reachable from there.
///
/// Guards: everything is under `lock`, but for the links of a list that `dispose` has taken, which are its own.
@usableFromInline
final class InnerChains: Upstream {
    @exclusivity(unchecked)
    private var lock = crx_lock()
    @exclusivity(unchecked)
    private var first: InnerDisposer?
    @exclusivity(unchecked)
    private unowned(unsafe) var last: InnerDisposer?
    @exclusivity(unchecked)
    private var isDisposed = false
    @exclusivity(unchecked)
    private var isHalted = false

    @usableFromInline
    init() {}

    deinit {
        while let inner = first { first = inner.next.take() }
    }

    /// Lists an inner sink; where the chain below is disposed already the inner sink is disposed at once.
    @usableFromInline
    func insert(_ inner: InnerDisposer) {
        crx_lock_acquire(&lock)
        if isDisposed {
            crx_lock_release(&lock)
            inner.dispose()
            return
        }
        inner.previous = last
        if let last { last.next = inner } else { first = inner }
        last = inner
        let isHalted = isHalted
        crx_lock_release(&lock)
        if isHalted { inner.halt() }
    }

    /// Takes an inner sink off the list and disposes it.
    @usableFromInline
    func dispose(_ inner: InnerDisposer) {
        remove(inner)
        inner.disposeUnlessEnding()
    }

    private func remove(_ inner: InnerDisposer) {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        guard !isDisposed, first === inner || inner.previous != nil else { return }
        let next = inner.next.take()
        if let next { next.previous = inner.previous } else { last = inner.previous }
        if let previous = inner.previous { previous.next = next } else { first = next }
        inner.previous = nil
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        crx_lock_acquire(&lock)
        isDisposed = true
        var inner = first.take()
        last = nil
        crx_lock_release(&lock)
        while let current = inner {
            inner = current.next.take()
            current.disposeUnlessEnding()
        }
    }

    @usableFromInline
    func halt() {
        var all: [InnerDisposer] = []
        crx_lock_acquire(&lock)
        isHalted = true
        var inner = first
        while let current = inner {
            all.append(current)
            inner = current.next
        }
        crx_lock_release(&lock)
        for inner in all { inner.halt() }
    }
}
