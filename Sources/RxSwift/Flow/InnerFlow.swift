internal import CRxCore

/// Which inner sources of a coordinator are held, because the chain below it is paused.
///
/// Those that run and those that are held are two queues: who has run goes to the end of the other at the next pause,
/// so each resume goes on where the last one stopped. A pause costs one RMW for each source that runs, not for each
/// there is. Modelled in Tests/Models/inner.pml.
///
/// Guards: but for what says otherwise, everything is under the lock of its list, which is held whenever
/// `CRX_CHAIN_HELD` of a listed chain changes.
@usableFromInline
final class InnerFlow {
    /// The scope that inner chains are in.
    let scope: FlowScope
    /// What the coordinator does itself with what has to wait for others.
    let own: Buffering?
    /// How many events of a source may wait in the coordinator's gate before it is paused.
    let crowd: UInt32
    /// Told when the chain below goes on, if it wants to be.
    weak var coordinator: Coordinator?
    /// Whether it has yet to be told.
    var isResumeDue = false
    /// The same one, or what keeps it, from when something waits for that.
    var kept: AnyObject?
    /// Where sources follow one another, what goes on with the next of them.
    var next: FlowJob?

    /// The bounds of a zip's cells: the gate's owner's.
    var bounds: [BacklogBound] = []

    private(set) var isHeld = false
    /// Whether one has come while they are held.
    private(set) var hasNewcomer = false
    private var running = Ring<InnerDisposer>()
    private var held = Ring<InnerDisposer>()
    /// Whether somebody is going to resume those that are held.
    private var isResuming = false
    /// At how many the queues are cleared of those that are not listed any more.
    private var limit = 32

    init(_ scope: FlowScope) {
        self.scope = scope.above
        own = scope.own ?? scope.buffering
        crowd = if case .pausing(let bound)? = own { UInt32(clamping: min(bound, 64)) } else { 64 }
    }

    /// Takes a chain that has not been fed yet; it is born held while the others are.
    ///
    /// - Returns: what is not listed any more, to be let go of without the lock: it may keep what is a user's.
    func insert(_ inner: InnerDisposer) -> [InnerDisposer] {
        let gone = running.count + held.count >= limit ? purge() : []
        if isHeld {
            _ = crx_state_change_reasons(inner.chain, CRX_CHAIN_HELD, 0)
            held.append(inner)
            hasNewcomer = true
        } else {
            running.append(inner)
        }
        return gone
    }

    /// Holds those that run.
    func pause(_ agenda: inout FlowAgenda) -> Bool {
        isHeld = true
        while !running.isEmpty {
            let inner = running.removeFirst()
            if agenda.keepsGone(inner) { continue }
            agenda.change(inner, set: CRX_CHAIN_HELD)
            held.append(inner)
        }
        return false
    }

    /// Resumes the one that is held; of several, says whether a rota has to be queued.
    func resume(_ agenda: inout FlowAgenda) -> Bool {
        isHeld = false
        hasNewcomer = false
        if isResuming || held.isEmpty { return false }
        isResuming = true
        if held.count > 1 { return true }
        return resumeNext(false, &agenda)
    }

    /// Resumes the next one that lives; false where there is none left, or they are held again.
    func resumeNext(_ isDisposed: Bool, _ agenda: inout FlowAgenda) -> Bool {
        while !isDisposed, !isHeld, !held.isEmpty {
            let inner = held.removeFirst()
            if agenda.keepsGone(inner) { continue }
            running.append(inner)
            agenda.change(inner, clear: CRX_CHAIN_HELD)
            isResuming = !held.isEmpty
            return isResuming
        }
        isResuming = false
        return false
    }

    /// Whoever was to resume those that are held has been dropped: the next resume queues another.
    func resumeIsDropped() {
        isResuming = false
    }

    /// Takes those out that have been disposed of.
    private func purge() -> [InnerDisposer] {
        var gone: [InnerDisposer] = []
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
