internal import CRxCore

/// Pauses one chain while at least `threshold` of the chains that it feeds are paused.
///
/// Guards: the lock of `paused` protects `paused` and the variables of the votes. The *full* bit of the chain also
/// changes under that lock, so the bit always matches the latest count.
final class PauseVotes: Sendable {
    /// The chain that pauses.
    let source: ChainLifetime
    private let threshold: Int
    private let paused = Locked(0)

    init(pausing source: ChainLifetime, threshold: Int) {
        self.source = source
        self.threshold = threshold
    }

    fileprivate func set(_ vote: PauseVote, _ isPaused: Bool, isLast: Bool, _ worklist: inout PauseWorklist) {
        paused.withLock { paused in
            if vote.isOver { return }
            vote.isOver = isLast
            guard vote.isPaused != isPaused else { return }
            vote.isPaused = isPaused
            paused += isPaused ? 1 : -1
            worklist.setFull(paused >= threshold, source)
        }
    }
}

/// The source of one of the chains that the paused chain feeds. As a source, it is notified when that chain pauses.
class PauseVote: Upstream, @unchecked Sendable {  // because of the guards of PauseVotes
    let votes: PauseVotes
    fileprivate var isPaused = false
    fileprivate var isOver = false

    init(_ votes: PauseVotes) {
        self.votes = votes
    }

    final func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        votes.set(self, isPaused, isLast: false, &worklist)
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        var worklist = PauseWorklist(turnOf: nil)
        votes.set(self, false, isLast: true, &worklist)
        worklist.notifyAll()
    }

    func halt() {}

    var sourceName: String { "the source" }
}
