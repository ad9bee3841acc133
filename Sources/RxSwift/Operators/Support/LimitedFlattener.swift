public import CRxCore

/// A flattener that runs at most `limit` inner sources at a time. Further inner sources wait, in order.
///
/// Guards:
/// - `waiting`, `hasWaiting`: protected by `lock`.
/// - `ended`: read by any thread, written under `lock`. Exception: while no other inner source runs or waits, the
///   thread of the outer source writes `ended` without the lock, because then no other thread writes it.
@usableFromInline
class LimitedFlattener<Output>: Flattener {
    @usableFromInline
    final let limit: Int
    private final let name: StaticString
    @usableFromInline
    @exclusivity(unchecked)
    final var lock = crx_lock()
    private final var waiting = Ring<Observable<Output>>()
    /// Whether inner sources wait. Stored, because reading `waiting` would look up its element type.
    @usableFromInline
    @exclusivity(unchecked)
    final var hasWaiting = false
    @usableFromInline
    @exclusivity(unchecked)
    final var ended = crx_flag()
    private final var bound: QueueBound?

    @usableFromInline
    init(_ context: inout SubscribeContext, _ name: StaticString, limit: Int) {
        self.limit = limit
        self.name = name
        super.init(&context)
    }

    @usableFromInline
    final func begins(with outer: InnerLifetime) {
        bound = innerChains.bound(on: outer, named: name)
    }

    /// Whether another inner source may run. Called by the thread of the outer source. If the caller does not hold
    /// `lock`, a result of false may be out of date.
    @inlinable
    final var hasPlace: Bool { made - Int(crx_flag_load_acquire(&ended)) < limit }

    /// Queues an inner source, unless `mayRun` is true under the lock. Returns whether it was queued.
    final func queue(_ source: Observable<Output>, unless mayRun: @autoclosure () -> Bool) -> Bool {
        crx_lock_acquire(&lock)
        if mayRun() {
            crx_lock_release(&lock)
            return false
        }
        var error: FlowError?
        if let bound {
            let addition = bound.add(source, to: &waiting)
            hasWaiting = true
            crx_lock_release(&lock)
            error = bound.finish(addition)
        } else {
            waiting.append(source)
            hasWaiting = true
            crx_lock_release(&lock)
        }
        if let error { enter { [self] in end(error) } }
        return true
    }

    /// A waiting inner source that may run now. The caller of `vacate()` first makes its own state consistent, then
    /// passes this value to ``resumeOuter(for:)``.
    @usableFromInline
    struct Successor {
        fileprivate let source: Observable<Output>
        fileprivate let notifies: Bool
    }

    /// Counts the end of an inner source. Returns the next waiting source.
    @inlinable
    final func vacate() -> Successor? {
        crx_lock_acquire(&lock)
        crx_flag_store_release(&ended, crx_flag_load_relaxed(&ended) + 1)
        if hasWaiting { return dequeue_locked() }
        crx_lock_release(&lock)
        return nil
    }

    /// Releases the lock, which the caller holds.
    @usableFromInline
    final func dequeue_locked() -> Successor? {
        guard isLive, !waiting.isEmpty else {
            crx_lock_release(&lock)
            return nil
        }
        let next = waiting.removeFirst()
        hasWaiting = !waiting.isEmpty
        bound?.counters?.left()
        let notifies = bound?.settle(waiting.count) ?? false
        crx_lock_release(&lock)
        return Successor(source: next, notifies: notifies)
    }

    /// Lets the outer source resume. That source may send within this call. Returns the inner source of `next`, to
    /// which the caller must subscribe.
    final func resumeOuter(for next: Successor) -> Observable<Output> {
        if next.notifies { bound?.notifySource() }
        return next.source
    }
}
