import CoreMetrics
import Synchronization

/// Metrics as text: one line each, with the count and, for timers, the total in milliseconds.
final class Figures: MetricsFactory {
    private let values = Mutex<[String: Value]>([:])

    private struct Value {
        var count = 0
        var nanoseconds = 0
        var isTime = false
    }

    var text: String {
        values.withLock { $0 }.sorted { $0.key < $1.key }
            .map { "\($0) \($1.count)\($1.isTime ? " \($1.nanoseconds / 1_000_000)" : "")\n" }.joined()
    }

    private func key(_ label: String, _ dimensions: [(String, String)]) -> String {
        dimensions.isEmpty ? label : "\(label){\(dimensions.map { "\($0)=\"\($1)\"" }.joined(separator: ","))}"
    }

    fileprivate func add(_ key: String, _ count: Int, nanoseconds: Int? = nil) {
        values.withLock { values in
            values[key, default: Value()].count += count
            if let nanoseconds {
                values[key]?.nanoseconds += nanoseconds
                values[key]?.isTime = true
            }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Cell(figures: self, key: key(label, dimensions))
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Cell(figures: self, key: key(label, dimensions))
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Cell(figures: self, key: key(label, dimensions))
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Cell(figures: self, key: key(label, dimensions))
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
}

/// The gateway uses only counters and timers.
private final class Cell: CounterHandler, TimerHandler, RecorderHandler, MeterHandler {
    private let figures: Figures
    private let key: String

    init(figures: Figures, key: String) {
        self.figures = figures
        self.key = key
    }

    func increment(by amount: Int64) { figures.add(key, Int(amount)) }
    func recordNanoseconds(_ duration: Int64) { figures.add(key, 1, nanoseconds: Int(duration)) }
    func record(_ value: Int64) { figures.add(key, 1) }
    func record(_ value: Double) { figures.add(key, 1) }
    func set(_ value: Int64) { figures.add(key, 1) }
    func set(_ value: Double) { figures.add(key, 1) }
    func increment(by amount: Double) { figures.add(key, 1) }
    func decrement(by amount: Double) { figures.add(key, 1) }
    func reset() {}
}
