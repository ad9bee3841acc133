import Dispatch
import Metrics
import ServerSupport
import Synchronization

/// The metrics of one export, in a bounded number of series.
///
/// Guards: `state` has a lock, which is not held while the factory or a metric is called.
final class MetricSeries: Sendable {
    /// The name of a series, without the prefix, and its labels. The part of `metric` before the first dot is the kind,
    /// such as `bulkhead`.
    struct Key: Hashable {
        let metric: String
        var name: String?
        var label: String?
        var value: String?
    }

    private enum Metric {
        case counter(Counter)
        case duration(Metrics.Timer)
        case sizes(Recorder)
        case gauge(Gauge)
    }

    private struct State {
        var metrics: [Key: Metric] = [:]
        var names: [String: Set<String>] = [:]
        /// The gauges of the last recording.
        var gauges: Set<Key> = []
    }

    /// The name that replaces all names beyond the limit.
    static let other = "other"

    private let prefix: String
    private let limit: Int
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(prefix: String, names: Int, factory: any MetricsFactory) {
        self.prefix = prefix
        limit = names
        self.factory = factory
    }

    // MARK: Events of a name

    func count(
        _ metric: String, _ name: String, _ label: String? = nil, _ value: String? = nil, by amount: Int = 1
    ) {
        count(key(metric, name, label, value), by: amount)
    }

    func time(_ metric: String, _ name: String, _ span: DispatchTimeInterval) {
        let made = series(key(metric, name)) {
            .duration(Metrics.Timer(label: $0, dimensions: $1, preferredDisplayUnit: .seconds, factory: $2))
        }
        if case .duration(let timer) = made { timer.recordNanoseconds(span.inNanoseconds) }
    }

    func size(_ metric: String, _ name: String, _ count: Int) {
        let made = series(key(metric, name)) {
            .sizes(Recorder(label: $0, dimensions: $1, aggregate: true, factory: $2))
        }
        if case .sizes(let recorder) = made { recorder.record(count) }
    }

    private func key(_ metric: String, _ name: String, _ label: String? = nil, _ value: String? = nil) -> Key {
        Key(metric: metric, name: known(name, String(metric.prefix { $0 != "." })), label: label, value: value)
    }

    // MARK: Values of a series

    /// An amount of 0 only makes the series, which then starts at 0.
    func count(_ key: Key, by amount: Int) {
        let made = series(key) { .counter(Counter(label: $0, dimensions: $1, factory: $2)) }
        if case .counter(let counter) = made, amount != 0 { counter.increment(by: amount) }
    }

    func record(_ value: Double, at key: Key) {
        let made = series(key) { .gauge(Gauge(label: $0, dimensions: $1, factory: $2)) }
        if case .gauge(let gauge) = made { gauge.record(value) }
    }

    /// Records the gauges of a period. A gauge of the previous period that is missing now is recorded as 0.
    func record(_ gauges: [Key: Double]) {
        let missing = state.withLock { state in
            exchange(&state.gauges, with: Set(gauges.keys)).subtracting(gauges.keys)
        }
        for (key, value) in gauges { record(value, at: key) }
        for key in missing { record(0, at: key) }
    }

    /// Returns the name, or ``other`` if the kind already has `limit` names.
    func known(_ name: String, _ kind: String) -> String {
        state.withLock { state in
            if state.names[kind, default: []].contains(name) { return name }
            guard state.names[kind, default: []].count < limit else { return Self.other }
            state.names[kind, default: []].insert(name)
            return name
        }
    }

    /// If two threads make a metric at once, the factory returns the same metric to both.
    private func series(_ key: Key, _ make: (String, [(String, String)], any MetricsFactory) -> Metric) -> Metric {
        if let metric = state.withLock({ $0.metrics[key] }) { return metric }
        var labels: [(String, String)] = []
        if let name = key.name { labels.append(("\(prefix).name", name)) }
        if let label = key.label, let value = key.value { labels.append(("\(prefix).\(label)", value)) }
        let metric = make("\(prefix).\(key.metric)", labels, factory)
        return state.withLock { state in
            if let first = state.metrics[key] { return first }
            state.metrics[key] = metric
            return metric
        }
    }
}
