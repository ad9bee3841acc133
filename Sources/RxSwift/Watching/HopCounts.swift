internal import CRxCore

/// What one hop of one subscription counts, by its scheduler: how many elements wait for their turn there, and how long
/// one of them has waited, now and then.
///
/// - `entered`: the source's, which is serial. `left`: the delivery's, which is serial, too.
/// - `sampled`: who finds that no sample is under way, the source's side, until it has published its number; then the
///   delivery, until it has taken it back.
final class HopCounts: @unchecked Sendable {  // because of the guards above
    private let counted: Counted
    @exclusivity(unchecked)
    private var entered = 0
    @exclusivity(unchecked)
    private var left = 0
    @exclusivity(unchecked)
    private var sampled: UInt64 = 0

    init(_ scheduler: any ImmediateSchedulerType) {
        counted = Counted(.scheduler(name: Self.name(of: scheduler)))
    }

    deinit {
        counted.retire()
    }

    private static func name(of scheduler: any ImmediateSchedulerType) -> String {
        (scheduler as? any BurstScheduler)?.jobQueue?.name ?? "\(type(of: scheduler))"
    }

    /// An element is about to be queued.
    func enter() {
        counted.rise(by: 1)
        entered += 1
        guard counted.value(.sample) == 0 else { return }
        sampled = TimerService.now
        counted.set(.sample, to: entered)
    }

    /// An element is about to be delivered.
    func leave() {
        counted.add(-1, to: .depth)
        left += 1
        guard counted.value(.sample) == left else { return }
        let latency = Int(clamping: TimerService.now - sampled)
        counted.set(.latency, to: latency)
        counted.raise(.longestLatency, to: latency)
        counted.set(.sample, to: 0)
    }
}
