internal import CRxCore
public import Dispatch

/// What the library counts of itself, for whoever exports it.
///
/// ```swift
/// Counters.isCounting = true                  // at the start of the program
/// let counts = Counters.snapshot()            // each time that somebody asks
/// gauge("rx.timers.pending", counts.timersPending)
/// ```
///
/// Counting is off by default, and costs nothing then. What can only be counted where events pass is counted in chains
/// that are subscribed while it is on, until they end; so switch it on first. Counts only grow, and keep what they are
/// while it is off; depths are those of the moment.
public enum Counters {
    /// Whether what is subscribed from now on counts. Any thread may set it.
    public static var isCounting: Bool {
        get { crx_watch_any(CRX_WATCH_COUNTERS) }
        set { crx_watch_set(CRX_WATCH_COUNTERS, newValue) }
    }

    /// What has been counted up to now. Any thread may ask; a snapshot takes a short lock and walks what is alive, some
    /// tens of nanoseconds for each boundary and hop.
    public static func snapshot() -> Snapshot {
        var boundaries: [Boundary] = []
        var schedulers: [Scheduler] = []
        for (place, totals) in Registry.shared.withLock({ $0.totals }) {
            switch place {
            case .boundary(let name, let bound):
                boundaries.append(
                    Boundary(
                        name: name, bound: bound, live: totals.live, depth: totals.depth, highWater: totals.highWater,
                        pauses: totals.pauses, drops: totals.drops))
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

    /// The counts at one moment. Each is true by itself; two of them may be moments apart.
    public struct Snapshot: Sendable {
        /// How many subscriptions the program has made: its calls of `subscribe`, and what the library makes of `bind`,
        /// `drive`, `value` and their like. Inner sequences are not counted. An atomic addition for each.
        public let subscriptions: Int
        /// How many elements have been delivered to those subscriptions. It costs each of them a stage, and each
        /// element an atomic addition, on a word that few threads share.
        public let events: Int
        /// How many of those subscriptions have ended with an error, whether or not anybody took it.
        public let errors: Int
        /// How many timers wait for their time, on all of the library's schedulers, whether or not anything is counted.
        /// It changes with each timer that is started, fires, or is disposed of.
        public let timersPending: Int
        /// The schedulers to which `observe(on:)` hops, by name.
        public let schedulers: [Scheduler]
        /// The boundaries that have a bound, by name and bound.
        public let boundaries: [Boundary]
    }

    /// All schedulers of one name, as the hops of `observe(on:)` see them: it costs each of these two stages, and each
    /// element two atomic additions.
    public struct Scheduler: Sendable, Equatable {
        /// The label of its queue, the name of its threads, the type of its actor; of any other scheduler its own type.
        public let name: String
        /// How many hops of subscriptions there are to it.
        public let hops: Int
        /// How many elements wait for their turn there: queued, and not yet delivered.
        public let depth: Int
        /// The most elements that have waited in one hop.
        public let highWater: Int
        /// How long an element has waited for its turn: the last one that was measured; of several hops, the longest.
        /// A hop measures one element at a time, which takes two looks at the clock.
        public let latency: RxTimeInterval
        /// The longest of these since counting began.
        public let longestLatency: RxTimeInterval
    }

    /// All boundaries of one name and bound: the places where elements wait for another thread or for another source,
    /// in subscriptions that have a bound. Of `merge(maxConcurrent:)` and `concatMap` the elements are the sources that
    /// wait.
    public struct Boundary: Sendable, Equatable {
        /// What the boundary is called: `observe(on:)`, `delay`, `zip`, `values`, `merge(maxConcurrent:)`, which
        /// `concatMap` is, too.
        public let name: String
        /// How many elements may wait there; `Int.max` where as many may as come.
        public let bound: Int
        /// How many of them there are; a `zip` has one for each source.
        public let live: Int
        /// How many elements wait in all of them.
        public let depth: Int
        /// The most elements that have waited in one of them.
        public let highWater: Int
        /// How often a source was told to pause.
        public let pauses: Int
        /// How many elements were dropped or refused, because there was no place.
        public let drops: Int
    }
}
