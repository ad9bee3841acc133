internal import CRxCore

/// What one hop of one subscription counts, by its scheduler: how many elements wait for their turn there, and how long
/// one of them has waited, now and then.
///
/// - `entered`: the source's, which is serial. `left`: the delivery's, which is serial, too. `skipped`: atomic; of
///   elements that were dropped from among those that wait, so that `left` and it are the number of the last one gone.
/// - `sampled`: who finds that no sample is under way, the source's side, until it has published its number; then the
///   delivery, until it has taken it back.
final class HopCounts: @unchecked Sendable {  // because of the guards above
    private let counted: Counted
    /// The listed chain that the hop delivers to.
    private let record = SubscriptionRecord.connecting
    /// Whether it is the hop that says what enters it, since it does not let all in. Set before the source is joined.
    var isToldByHop = false
    private var entered = 0
    private var left = 0
    private var sampled: UInt64 = 0

    init(_ scheduler: any ImmediateSchedulerType) {
        let name = Self.name(of: scheduler)
        counted = Counted(.scheduler(name: name))
        record?.hops(to: name, counted)
    }

    deinit {
        record?.hopIsGone(counted)
        counted.retire()
    }

    private static func name(of scheduler: any ImmediateSchedulerType) -> String {
        (scheduler as? any BurstScheduler)?.jobQueue?.name ?? "\(type(of: scheduler))"
    }

    /// An element is about to be queued.
    func enter() {
        counted.rise(by: 1)
        record?.noteCause()
        entered += 1
        guard counted.value(.sample) == 0 else { return }
        sampled = TimerService.now
        counted.set(.sample, to: entered)
    }

    /// So many of those that wait were dropped, the oldest where others stay. By any thread.
    func skip(_ count: Int = 1) {
        counted.add(-count, to: .depth)
        counted.add(count, to: .skipped)
    }

    /// An element is about to be delivered.
    func leave() {
        counted.add(-1, to: .depth)
        left += 1
        let sample = counted.value(.sample)
        guard sample != 0, sample <= left + counted.value(.skipped) else { return }
        let latency = Int(clamping: TimerService.now - sampled)
        counted.set(.latency, to: latency)
        counted.raise(.longestLatency, to: latency)
        counted.set(.sample, to: 0)
    }
}
