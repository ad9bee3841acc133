internal import CRxCore

/// The number of elements that wait in one scheduler boundary, and the waiting time of a sample of them.
///
/// Guards:
/// - `entered`: used by the thread of the source.
/// - `left`: used by the thread that delivers.
/// - `sampled`: used by the thread of the source while the word `sample` is 0, otherwise by the thread that delivers.
///
/// The atomic word `skipped` is the number of dropped elements. Elements leave in order, so `left + skipped` is the
/// position of the last element that has left. A rejected element is counted at once, before the elements that wait. So
/// a measured time may be too short.
final class SchedulerCounts: @unchecked Sendable {  // because of the guards above
    private let counted: Counted
    /// The record of the chain below the scheduler boundary; nil if that chain has none.
    private let record = SubscriptionRecord.connecting
    /// Whether the scheduler boundary itself calls ``enter()``, once for each accepted element. Set before the
    /// subscription to the source.
    var isCountedByQueue = false
    private var entered = 0
    private var left = 0
    private var sampled: UInt64 = 0

    init(_ scheduler: any ImmediateSchedulerType) {
        let name = Self.name(of: scheduler)
        counted = Counted(.scheduler(name: name))
        record?.feeds(scheduler: name, counted)
    }

    deinit {
        record?.boundaryIsGone(counted)
        counted.retire()
    }

    private static func name(of scheduler: any ImmediateSchedulerType) -> String {
        (scheduler as? any BatchingScheduler)?.jobQueue?.name ?? "\(type(of: scheduler))"
    }

    /// Called before an element waits.
    func enter() {
        counted.rise(by: 1)
        record?.noteCause()
        entered += 1
        guard counted.value(.sample) == 0 else { return }
        sampled = TimerService.now
        counted.set(.sample, to: entered)
    }

    /// Records that `count` elements were dropped: the oldest or, if a boundary rejects an element, the newest. Any
    /// thread may call this function.
    func skip(_ count: Int = 1) {
        counted.add(-count, to: .depth)
        counted.add(count, to: .skipped)
    }

    /// Called before an element is delivered.
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
