public import CoreMetrics
import Synchronization

/// A small backend for swift-metrics. Writes the process's metrics as OpenMetrics text for Prometheus.
///
///     let metrics = OpenMetrics()
///     MetricsSystem.bootstrap(metrics)          // once, at the start of the program
///     respond(metrics.text, OpenMetrics.contentType)
///
/// - Characters that OpenMetrics does not allow in a name become `_`: `rx.intake.offers` is `rx_intake_offers`.
/// - A `Counter` is a counter with the suffix `_total`. A `Gauge` or `Meter` is a gauge. A `Timer` is a histogram in
///   seconds with the suffix `_seconds`. A `Recorder` that aggregates is a histogram.
/// - If metrics of several kinds have the same name, only those of the first kind are written.
/// - Memory, processor time and open files of the process are added to each text.
///
/// Any thread may use it. Guards: `families` has a lock; each series has its own.
public final class OpenMetrics: MetricsFactory {
    /// The content type of ``text``.
    public static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private struct Family {
        let kind: Series.Kind
        var series: [String: Series] = [:]
    }

    private let families = Mutex<[String: Family]>([:])
    private let durations: [Double]
    private let sizes: [Double]

    /// `durations` are the ascending upper bounds of the buckets of timers, in seconds. `sizes` are the bounds for
    /// aggregating recorders.
    public init(
        durations: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        sizes: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]
    ) {
        self.durations = durations
        self.sizes = sizes
    }

    public var text: String {
        var text = ""
        for (name, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            if name.hasSuffix("_seconds") { text += "# UNIT \(name) seconds\n" }
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(to: &text, name, labels)
            }
        }
        return text + Process.text + "# EOF\n"
    }

    // MARK: MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        var name = Self.name(label)
        if name.hasSuffix("_total") { name.removeLast(6) }
        return series(name, dimensions, .counter)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(Self.name(label), dimensions, .gauge)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(Self.name(label), dimensions, aggregate ? .histogram : .gauge, sizes)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let name = Self.name(label)
        return series(name.hasSuffix("_seconds") ? name : name + "_seconds", dimensions, .histogram, durations)
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func series(
        _ name: String, _ dimensions: [(String, String)], _ kind: Series.Kind, _ bounds: [Double] = []
    ) -> Series {
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return families.withLock { families in
            if let series = families[name]?.series[labels], series.kind == kind { return series }
            let series = Series(kind, bounds)
            if families[name, default: Family(kind: kind)].kind == kind {
                families[name, default: Family(kind: kind)].series[labels] = series
            }
            return series
        }
    }

    private func remove(_ handler: AnyObject) {
        families.withLock { families in
            for (name, family) in families {
                guard let entry = family.series.first(where: { $0.value === handler }) else { continue }
                families[name]?.series[entry.key] = nil
                if families[name]?.series.isEmpty == true { families[name] = nil }
                return
            }
        }
    }

    private static func name(_ label: String) -> String {
        let name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.first?.isNumber == false ? name : "_\(name)"
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
