internal import CRxCore
public import Dispatch

/// Counts of the library's work, for export to a metrics system.
///
/// ```swift
/// Counters.isCounting = true                  // at the start of the program
/// let counts = Counters.snapshot()            // on each export
/// gauge("rx.timers.pending", counts.timersPending)
/// ```
///
/// Counting is off by default. While it is off, it has almost no cost. Chains that are subscribed to while counting is
/// on are counted until they end. Totals never decrease; current values such as `depth` may.
public enum Counters {
    /// Whether later subscriptions are counted. Any thread may set it.
    public static var isCounting: Bool {
        get { crx_watch_any(CRX_WATCH_COUNTERS) }
        set { crx_watch_set(CRX_WATCH_COUNTERS, newValue) }
    }

    /// The current counts. Any thread may call this function.
    public static func snapshot() -> Snapshot {
        var boundaries: [Boundary] = []
        var schedulers: [Scheduler] = []
        for (place, totals) in Registry.shared.withLock({ $0.totals }) {
            switch place {
            case .boundary(let name, let bound):
                boundaries.append(Boundary(name, bound, totals))
            case .scheduler(let name):
                schedulers.append(
                    Scheduler(
                        name: name, hops: totals.live, depth: totals.depth, highWater: totals.highWater,
                        latency: .nanoseconds(totals.latency), longestLatency: .nanoseconds(totals.longestLatency)))
            }
        }
        boundaries.sort { ($0.name, $0.bound) < ($1.name, $1.bound) }
        schedulers.sort { $0.name < $1.name }
        return Snapshot(
            subscriptions: SubscriptionCounts.subscriptions.value, events: SubscriptionCounts.events.value,
            errors: SubscriptionCounts.errors.value, timersPending: Int(crx_timers_pending(TimerService.shared)),
            schedulers: schedulers, boundaries: boundaries)
    }

    /// The counts, which may have been read at slightly different times.
    public struct Snapshot: Sendable {
        /// The number of subscriptions that the program has made, excluding inner sequences.
        public let subscriptions: Int
        /// The number of elements of the counted subscriptions. Counting adds a stage to each subscription and an
        /// atomic addition to each element.
        public let events: Int
        /// The number of counted subscriptions that ended with an error.
        public let errors: Int
        /// The number of the library's timers that are waiting to fire. It does not depend on ``isCounting``.
        public let timersPending: Int
        /// The schedulers to which `observe(on:)` passes elements, sorted by name.
        public let schedulers: [Scheduler]
        /// The boundaries that have a bound, or that pause with the chain below, sorted by name and bound.
        public let boundaries: [Boundary]
    }

    /// The counts of `observe(on:)` for all schedulers of one name. Counting adds two stages to each `observe(on:)` and
    /// two atomic additions to each element.
    public struct Scheduler: Sendable, Equatable {
        /// The label of the scheduler's queue, the name of its threads, the type of its actor or, without these, the
        /// scheduler's type.
        public let name: String
        /// The number of `observe(on:)` operators in live subscriptions.
        public let hops: Int
        /// The number of elements that are queued and not yet delivered.
        public let depth: Int
        /// The largest number of elements that waited in one boundary at once.
        public let highWater: Int
        /// The waiting time of the last measured element. If several boundaries use schedulers of this name, this is
        /// the longest of their times. Each boundary measures one element at a time.
        public let latency: RxTimeInterval
        /// The longest latency since counting began.
        public let longestLatency: RxTimeInterval
    }
}
