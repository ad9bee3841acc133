public import CRxCore

/// What feeds a chain and looks itself whether that is paused: it then parks here, and whoever opens the chain again
/// queues it at its home.
///
/// Guards: `parked` belongs to the job that runs until `CRX_CHAIN_PARKED` is set; then to the teller, which clears it,
/// or to the thread that disposes of the chain, after which nobody clears it.
@usableFromInline
class PollingSource: Upstream {
    /// The word of the chain that it feeds. Who tells or disposes keeps it; so does a job that runs.
    @usableFromInline
    final let chain: UnsafeMutablePointer<crx_chain>
    private final var parked: Unmanaged<FlowJob>?

    init(_ disposer: SinkDisposer) {
        chain = disposer.chain
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_HEEDS))
    }

    /// What the job that wants to park does next.
    @usableFromInline
    enum Parking {
        /// Returns, and touches nothing of its own: it may run elsewhere.
        case parked
        case goesOn
        /// Gives up: the chain has ended.
        case over
    }

    /// Parks the job that runs, if the chain is still paused.
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

    /// Takes out the job that is parked. For its owner.
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
