public import Dispatch
public import Metrics
public import RxSwift
import ServerSupport
import Synchronization

extension Counters {
    /// Starts counting, and exports the library's counters to swift-metrics periodically.
    ///
    /// ```swift
    /// let export = Counters.export(every: .seconds(10), on: scheduler)   // call it before you subscribe
    /// ```
    ///
    /// <doc:MetricsOfLimits> lists all metrics. Counters start at 0 when this function is called.
    ///
    /// The factory and the metrics are called on the scheduler, without a lock. If the previous export still runs on
    /// another thread, an export is skipped, and the next one includes its counts. Two exports with the same factory
    /// and prefix increment the same counters, so end one before you start another.
    ///
    /// This function sets `Counters.isCounting` and does not reset it.
    ///
    /// - Parameters:
    ///   - period: the time between two exports, and before the first.
    ///   - scheduler: measures the time and runs the exports.
    ///   - prefix: the prefix of the names.
    ///   - names: the maximum number of schedulers, and also of boundaries, with a series of their own. Boundaries that
    ///     differ in name or bound count separately. A negative number counts as 0.
    ///   - factory: makes the metrics.
    /// - Returns: a disposable that ends the exports. Releasing it does not end them.
    public static func export(
        every period: RxTimeInterval, on scheduler: any SchedulerType, prefix: String = "rx", names: Int = 100,
        factory: any MetricsFactory = MetricsSystem.factory
    ) -> any Disposable {
        let counters = ExportedCounters(MetricSeries(prefix: prefix, names: names, factory: factory))
        isCounting = true
        return scheduler.schedulePeriodic((), startAfter: period, period: period) { counters.export() }
    }
}

/// Guards: `last` has a lock, which is not held while the factory or a metric is called.
final class ExportedCounters: Sendable {
    private let series: MetricSeries
    /// The counts of the previous export, or of the start. Nil while a thread exports, so that no other thread exports
    /// at the same time.
    private let last: Mutex<[MetricSeries.Key: Int]?>

    init(_ series: MetricSeries) {
        self.series = series
        last = Mutex(CounterValues(Counters.snapshot(), series).counts)
    }

    func export() {
        guard let previous = last.withLock({ $0.take() }) else { return }
        let values = CounterValues(Counters.snapshot(), series)
        for (key, count) in values.counts { series.count(key, by: Self.growth(from: previous[key] ?? 0, to: count)) }
        for (key, value) in values.gauges { series.record(value, at: key) }
        last.withLock { $0 = values.counts }
    }

    /// If the count is lower than before, it has restarted at 0.
    static func growth(from previous: Int, to count: Int) -> Int {
        count < previous ? count : count - previous
    }
}

/// If several schedulers or boundaries share a series, its value is their sum; for high-water marks and latencies,
/// their maximum.
private struct CounterValues {
    typealias Key = MetricSeries.Key

    private(set) var counts: [Key: Int] = [:]
    private(set) var gauges: [Key: Double] = [:]

    init(_ snapshot: Counters.Snapshot, _ series: MetricSeries) {
        counts[Key(metric: "subscriptions")] = snapshot.subscriptions
        counts[Key(metric: "events")] = snapshot.events
        counts[Key(metric: "errors")] = snapshot.errors
        gauges[Key(metric: "timers.pending")] = Double(snapshot.timersPending)
        for row in snapshot.schedulers {
            let name = series.known(row.name, "scheduler")
            func key(_ metric: String) -> Key { Key(metric: "scheduler.\(metric)", name: name) }
            gauges[key("hops"), default: 0] += Double(row.hops)
            gauges[key("depth"), default: 0] += Double(row.depth)
            raise(key("high_water"), to: Double(row.highWater))
            raise(key("latency"), to: row.latency.seconds)
            raise(key("latency.max"), to: row.longestLatency.seconds)
        }
        for row in snapshot.boundaries {
            let bound = row.bound == .max ? "none" : "\(row.bound)"
            let isOther = series.known("\(row.name) \(bound)", "boundary") == MetricSeries.other
            let (name, value) = isOther ? (MetricSeries.other, MetricSeries.other) : (row.name, bound)
            func key(_ metric: String) -> Key {
                Key(metric: "boundary.\(metric)", name: name, label: "bound", value: value)
            }
            gauges[key("live"), default: 0] += Double(row.live)
            gauges[key("depth"), default: 0] += Double(row.depth)
            raise(key("high_water"), to: Double(row.highWater))
            counts[key("pauses"), default: 0] += row.pauses
            counts[key("drops"), default: 0] += row.drops
        }
    }

    private mutating func raise(_ key: Key, to value: Double) {
        gauges[key] = max(gauges[key] ?? 0, value)
    }
}

extension RxTimeInterval {
    fileprivate var seconds: Double { Double(inNanoseconds) / 1e9 }
}
