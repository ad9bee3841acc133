public import Dispatch
public import Metrics
public import RxSwift

extension Counters {
    /// Hands the library's counters to swift-metrics as gauges, once. For who is asked for metrics.
    ///
    /// | gauge | | dimensions |
    /// |---|---|---|
    /// | `rx.subscriptions` | subscriptions made | |
    /// | `rx.events` | elements delivered to them | |
    /// | `rx.errors` | those of them that failed | |
    /// | `rx.timers.pending` | timers that wait | |
    /// | `rx.scheduler.hops`, `rx.scheduler.depth`, `rx.scheduler.highWater` | hops to it, elements that wait there, the most that did in one hop | `scheduler` |
    /// | `rx.scheduler.latency`, `rx.scheduler.latency.max` | how long an element waited: the last one measured, the longest; in seconds | `scheduler` |
    /// | `rx.boundary.live`, `rx.boundary.depth`, `rx.boundary.highWater` | boundaries that have a bound, elements that wait in all, the most that did in one | `boundary`, `bound` |
    /// | `rx.boundary.pauses`, `rx.boundary.drops` | sources paused, elements dropped or refused | `boundary`, `bound` |
    ///
    /// Where as many may wait as come, `bound` is `none`. The first three only grow. Nothing is counted before
    /// `Counters.isCounting` is set, but timers. Any thread may call it; no lock is held while the factory is called.
    ///
    /// - Parameters:
    ///   - prefix: what the names begin with.
    ///   - factory: what makes the gauges; the one that the program was started with unless given.
    public static func export(prefix: String = "rx", factory: any MetricsFactory = MetricsSystem.factory) {
        let counts = snapshot()
        func record(_ name: String, _ value: some BinaryFloatingPoint, _ dimensions: [(String, String)] = []) {
            Gauge(label: "\(prefix).\(name)", dimensions: dimensions, factory: factory).record(value)
        }
        record("subscriptions", Double(counts.subscriptions))
        record("events", Double(counts.events))
        record("errors", Double(counts.errors))
        record("timers.pending", Double(counts.timersPending))
        for scheduler in counts.schedulers {
            let dimensions = [("scheduler", scheduler.name)]
            record("scheduler.hops", Double(scheduler.hops), dimensions)
            record("scheduler.depth", Double(scheduler.depth), dimensions)
            record("scheduler.highWater", Double(scheduler.highWater), dimensions)
            record("scheduler.latency", scheduler.latency.seconds, dimensions)
            record("scheduler.latency.max", scheduler.longestLatency.seconds, dimensions)
        }
        for boundary in counts.boundaries {
            let bound = boundary.bound == .max ? "none" : "\(boundary.bound)"
            let dimensions = [("boundary", boundary.name), ("bound", bound)]
            record("boundary.live", Double(boundary.live), dimensions)
            record("boundary.depth", Double(boundary.depth), dimensions)
            record("boundary.highWater", Double(boundary.highWater), dimensions)
            record("boundary.pauses", Double(boundary.pauses), dimensions)
            record("boundary.drops", Double(boundary.drops), dimensions)
        }
    }

    /// Begins to count, and hands the counters to swift-metrics from time to time.
    ///
    /// ```swift
    /// let export = Counters.export(every: .seconds(10), on: scheduler)   // first of all: what runs already counts not
    /// ```
    ///
    /// As ``export(prefix:factory:)``, on the scheduler. It sets `Counters.isCounting`, and leaves it set.
    ///
    /// - Parameters:
    ///   - period: the time between; the first comes after it.
    ///   - scheduler: what measures it, and where the factory is called.
    ///   - prefix: what the names begin with.
    ///   - factory: what makes the gauges; the one that the program was started with unless given.
    /// - Returns: what ends it; to drop it does not.
    public static func export(
        every period: RxTimeInterval, on scheduler: any SchedulerType, prefix: String = "rx",
        factory: any MetricsFactory = MetricsSystem.factory
    ) -> any Disposable {
        isCounting = true
        return scheduler.schedulePeriodic((), startAfter: period, period: period) {
            export(prefix: prefix, factory: factory)
        }
    }
}

extension RxTimeInterval {
    fileprivate var seconds: Double { Double(nanoseconds ?? 0) / 1e9 }
}
