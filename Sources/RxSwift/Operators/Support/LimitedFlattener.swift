public import CRxCore

/// A flattener that subscribes to at most `limit` inner sources at a time. Further sources wait, in order, until a
/// running one has ended.
///
/// Guards:
/// - `made`: the thread of the outer source, as in ``Flattener``.
/// - `waiting`, `hasWaiting`: `lock`.
/// - `ended`: changes under `lock`. The thread of the outer source reads it without the lock. If it equals `made`, no
///   source runs or waits, and only that thread can start one.
@usableFromInline
class LimitedFlattener<Output>: Flattener {
    @usableFromInline
    final let limit: Int
    /// The name of the operator in messages.
    private final let name: StaticString
    @usableFromInline
    @exclusivity(unchecked)
    final var lock = crx_lock()
    private final var waiting = Ring<Observable<Output>>()
    /// Whether a source waits. Separate, because reading `waiting` would look up the type of its elements.
    @usableFromInline
    @exclusivity(unchecked)
    final var hasWaiting = false
    /// The number of sources that have ended.
    @usableFromInline
    @exclusivity(unchecked)
    final var ended = crx_flag()
    /// The bound on `waiting`; nil if there is none.
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

    /// Whether one more source may run. Called by the thread of the outer source. Without `lock`, a result of false may
    /// be out of date.
    @inlinable
    final var hasPlace: Bool { made - Int(crx_flag_load_acquire(&ended)) < limit }

    /// Queues a source, unless `mayRun` is true under the lock. Returns whether it was queued.
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

    /// The source that takes the place of an ended one. The caller passes it to ``resumeOuter(for:)`` once its own
    /// state is consistent.
    @usableFromInline
    struct Successor {
        fileprivate let source: Observable<Output>
        /// Whether the outer source must be notified that it may resume.
        fileprivate let notifies: Bool
    }

    /// Counts a source that has ended. Returns the source that takes its place, if one waits.
    @inlinable
    final func vacate() -> Successor? {
        crx_lock_acquire(&lock)
        crx_flag_store_release(&ended, crx_flag_load_relaxed(&ended) + 1)
        if hasWaiting { return dequeue_locked() }
        crx_lock_release(&lock)
        return nil
    }

    /// Removes the next waiting source. Releases the lock.
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

    /// Notifies the outer source, which may then resume within this call. Returns the source to subscribe to.
    final func resumeOuter(for next: Successor) -> Observable<Output> {
        if next.notifies { bound?.notifySource() }
        return next.source
    }
}
