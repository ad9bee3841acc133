internal import CRxCore

/// The bound on the inner sources that wait for a place, if their outer source can be paused.
///
/// The coordinator calls it under the lock that protects its queue.
struct OuterBound {
    let lifetime: InnerLifetime
    let bound: Int
    let counters: BoundaryCounters?

    init?(_ lifetime: InnerLifetime, of innerChains: InnerChains, named name: StaticString) {
        guard case .pausing(let bound)? = innerChains.flow?.own else { return nil }
        self.lifetime = lifetime
        self.bound = bound
        counters = .register(name, bound: bound)
    }

    /// Counts a queued source, and pauses the outer source when its bound is reached.
    ///
    /// - Returns: whether the outer source has exceeded the bound and must end.
    func queued_locked(_ count: Int, _ worklist: inout PauseWorklist) -> Bool {
        if count > bound, !lifetime.maySend(above: bound, waiting: count) { return true }
        counters?.entered()
        if count == bound {
            if !crx_pause_is_full(crx_pause_word(lifetime.chain)) { counters?.paused() }
            worklist.setFull(true, lifetime)
        }
        return false
    }

    /// Counts a dequeued source, and resumes the outer source when a quarter of the bound is left.
    func dequeued_locked(_ count: Int, _ worklist: inout PauseWorklist) {
        counters?.left()
        if count == bound / 4 { worklist.setFull(false, lifetime) }
    }

    /// Disposes of an outer source that has exceeded the bound.
    ///
    /// - Returns: the error to end with; nil if another thread has disposed of the source.
    func disposeOverflowing(_ name: StaticString) -> FlowError? {
        lifetime.disposeOverflowing("\(name)", limit: bound, counters)
    }
}
