internal import CRxCore

/// The inner sources of a coordinator that are held, because the chain below it is paused.
///
/// Running and held sources are in two queues. At a pause, the sources that have run go to the end of the other queue,
/// so each resume starts with the source that has waited longest. A pause costs one RMW for each running source, not
/// for every source. Modelled in Tests/Models/inner.pml.
///
/// Guards: except where noted, everything is protected by the lock of its list. That lock is held whenever
/// the *held* bit of a listed chain changes.
@usableFromInline
final class InnerFlow {
    /// The scope of the inner chains.
    let scope: FlowScope
    /// The coordinator's own policy for elements that wait in it for elements of another source.
    let own: Buffering?
    /// The number of a source's events that may wait in the coordinator's gate before the source is paused.
    let crowd: UInt32
    /// The coordinator, if it must be notified when the chain below resumes.
    weak var coordinator: Coordinator?
    /// Whether that notification is pending.
    var isResumeDue = false
    /// The coordinator, or an object that retains it, while something waits for that notification.
    var kept: AnyObject?
    /// For sources that run one after another: the job that starts the next source at the resume.
    var next: FlowJob?

    /// The bounds of a zip's cells; used only by the gate's owner.
    var bounds: [BacklogBound] = []

    private(set) var isHeld = false
    /// Whether a source was added while the sources are held.
    private(set) var hasNewcomer = false
    private var running = Ring<InnerLifetime>()
    private var held = Ring<InnerLifetime>()
    /// Whether a resume of the held sources is in progress.
    private var isResuming = false
    /// The length at which disposed sources are removed from the queues.
    private var limit = 32

    init(_ scope: FlowScope) {
        self.scope = scope.above
        own = scope.own ?? scope.buffering
        crowd = if case .pausing(let bound)? = own { UInt32(clamping: min(bound, 64)) } else { 64 }
    }

    /// Adds a chain that has not been fed yet. It is held from the start while the other chains are.
    ///
    /// - Returns: the chains that were removed. The caller releases them without the lock, because they may retain a
    ///   user's objects.
    func insert(_ inner: InnerLifetime) -> [InnerLifetime] {
        let gone = running.count + held.count >= limit ? purge() : []
        if isHeld {
            _ = crx_pause_set_held(inner.chain, true)
            held.append(inner)
            hasNewcomer = true
        } else {
            running.append(inner)
        }
        return gone
    }

    /// Holds the running sources; always false.
    func pause(_ worklist: inout PauseWorklist) -> Bool {
        isHeld = true
        while !running.isEmpty {
            let inner = running.removeFirst()
            if worklist.keepsGone(inner) { continue }
            worklist.setHeld(true, inner)
            held.append(inner)
        }
        return false
    }

    /// Resumes a single held source. With several it returns true: the caller must queue a round-robin job that resumes
    /// them.
    func resume(_ worklist: inout PauseWorklist) -> Bool {
        isHeld = false
        hasNewcomer = false
        if isResuming || held.isEmpty { return false }
        isResuming = true
        if held.count > 1 { return true }
        return resumeNext(false, &worklist)
    }

    /// Resumes the next source that is not disposed of; false if none is left or the sources are held again.
    func resumeNext(_ isDisposed: Bool, _ worklist: inout PauseWorklist) -> Bool {
        while !isDisposed, !isHeld, !held.isEmpty {
            let inner = held.removeFirst()
            if worklist.keepsGone(inner) { continue }
            running.append(inner)
            worklist.setHeld(false, inner)
            isResuming = !held.isEmpty
            return isResuming
        }
        isResuming = false
        return false
    }

    /// Records that the round-robin job has been dropped, so that the next resume queues another.
    func resumeIsDropped() {
        isResuming = false
    }

    /// Removes the disposed chains.
    private func purge() -> [InnerLifetime] {
        var gone: [InnerLifetime] = []
        for _ in 0..<running.count {
            let inner = running.removeFirst()
            if inner.isDisposed { gone.append(inner) } else { running.append(inner) }
        }
        for _ in 0..<held.count {
            let inner = held.removeFirst()
            if inner.isDisposed { gone.append(inner) } else { held.append(inner) }
        }
        limit = max(32, 2 * (running.count + held.count))
        return gone
    }
}
