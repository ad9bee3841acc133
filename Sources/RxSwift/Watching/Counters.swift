internal import CRxCore

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
        for (place, totals) in Registry.shared.withLock({ $0.totals }) {
            guard case .boundary(let name, let bound) = place else { continue }
            boundaries.append(
                Boundary(
                    name: name, bound: bound, live: totals.live, depth: totals.depth, highWater: totals.highWater,
                    pauses: totals.pauses, drops: totals.drops))
        }
        boundaries.sort { ($0.name, $0.bound ?? .max) < ($1.name, $1.bound ?? .max) }
        return Snapshot(timersPending: Int(crx_timers_pending(TimerService.shared)), boundaries: boundaries)
    }

    /// The counts at one moment. Each is true by itself; two of them may be moments apart.
    public struct Snapshot: Sendable {
        /// How many timers wait for their time, on all of the library's schedulers, whether or not anything is counted.
        /// It changes with each timer that is started, fires, or is disposed of.
        public let timersPending: Int
        /// The boundaries, by name and bound.
        public let boundaries: [Boundary]
    }

    /// All boundaries of one name and bound: the places where elements wait for their observer.
    public struct Boundary: Sendable, Equatable {
        /// What the boundary is called.
        public let name: String
        /// How many elements may wait there; nil where that is unbounded.
        public let bound: Int?
        /// How many of them there are.
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
