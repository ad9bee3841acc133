public import CRxCore

/// A source that checks itself whether its chain is paused. If so, its job parks here, and the thread that opens the
/// chain queues the job at its home.
///
/// Guards: `parked` is owned by the running job until `CRX_CHAIN_PARKED` is set. After that it is owned by the
/// notifying thread, which clears the bit, or by the thread that disposes of the chain, after which the bit is never
/// cleared.
@usableFromInline
class PollingSource: Upstream {
    /// The word of the chain that it feeds. The chain is retained by the notifying or disposing thread, or the running
    /// job.
    @usableFromInline
    final let chain: UnsafeMutablePointer<crx_chain>
    private final var parked: Unmanaged<FlowJob>?

    init(_ disposer: SinkDisposer) {
        chain = disposer.chain
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_HEEDS))
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
        switch crx_state_park(chain) {
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
    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        if let job = takeParked() { agenda.queue(job) }
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        if crx_state_load_acquire(chain) & UInt(CRX_CHAIN_PARKED) != 0 { takeParked()?.drop() }
    }

    @usableFromInline
    func halt() {}

    @usableFromInline
    var sourceName: String { "the source" }
}
