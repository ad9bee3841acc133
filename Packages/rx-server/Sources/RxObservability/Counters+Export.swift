public import Dispatch
public import Metrics
public import RxSwift
import ServerSupport

extension Counters {
    /// Exports the library's counters to swift-metrics as gauges, once. Call it when metrics are requested.
    ///
    /// <doc:MetricsOfLimits> lists all metrics with their units, labels and alerts.
    ///
    /// Except for timers, nothing is counted before `Counters.isCounting` is set. Any thread may call this function. No
    /// lock is held while the factory is called.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the names.
    ///   - factory: makes the gauges; by default the factory of the `MetricsSystem`.
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

    /// Starts counting, and exports the counters to swift-metrics periodically.
    ///
    /// ```swift
    /// let export = Counters.export(every: .seconds(10), on: scheduler)   // call it before you subscribe
    /// ```
    ///
    /// Each export is a call of ``export(prefix:factory:)`` on the scheduler. This function sets `Counters.isCounting`
    /// and does not reset it.
    ///
    /// - Parameters:
    ///   - period: the time between exports, and before the first.
    ///   - scheduler: measures the time and calls the factory.
    ///   - prefix: the prefix of the names.
    ///   - factory: makes the gauges; by default the factory of the `MetricsSystem`.
    /// - Returns: a disposable that ends the exports. Releasing it does not end them.
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
    fileprivate var seconds: Double { Double(inNanoseconds) / 1e9 }
}
