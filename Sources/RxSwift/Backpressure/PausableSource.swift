public import CRxCore

/// A source that checks itself whether its chain is paused. If so, its job parks here, and the thread that opens the
/// chain queues the job at its resumeScheduler.
///
/// Guards: `parked` is owned by the running job until the *parked* bit is set. After that it is owned by the
/// notifying thread, which clears the bit, or by the thread that disposes of the chain, after which the bit is never
/// cleared.
@usableFromInline
class PausableSource: Upstream {
    /// The word of the chain that it feeds. The chain is retained by the notifying or disposing thread, or the running
    /// job.
    @usableFromInline
    final let chain: UnsafeMutablePointer<crx_chain>
    private final var parked: Unmanaged<FlowJob>?

    init(_ lifetime: ChainLifetime) {
        chain = lifetime.chain
        crx_pause_set_pausable(chain)
    }

    /// The next step of a job that tries to park.
    @usableFromInline
    enum Parking {
        /// The job must return and not touch its state, because it may already run on another thread.
        case parked
        case goesOn
        /// The chain has ended, so the job must stop.
        case over
    }

    /// Parks the running job if the chain is still paused.
    @usableFromInline
    final func park(_ job: FlowJob) -> Parking {
        let job = Unmanaged.passRetained(job)
        parked = job
        switch crx_pause_park(chain) {
        case CRX_PARK_DONE: return .parked
        case CRX_PARK_OPEN:
            job.release()
            return .goesOn
        default:
            job.release()
            return .over
        }
    }

    /// Removes the parked job. Called by the owner of `parked`.
    final func takeParked() -> FlowJob? {
        parked.take()?.takeRetainedValue()
    }

    @usableFromInline
    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        if let job = takeParked() { worklist.queue(job) }
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        if crx_pause_is_parked(crx_lifetime_word(chain)) { takeParked()?.drop() }
    }

    @usableFromInline
    func halt() {}

    @usableFromInline
    var sourceName: String { "the source" }
}
