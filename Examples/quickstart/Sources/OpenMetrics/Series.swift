import CoreMetrics
import Synchronization

/// Guards: `state` has a lock.
final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private struct State {
        /// The value; for a histogram, the sum.
        var value = 0.0
        /// The counts of a histogram; the last bucket has no bound.
        var buckets: [Int]
    }

    let kind: Kind
    private let bounds: [Double]
    private let state: Mutex<State>

    init(_ kind: Kind, _ bounds: [Double]) {
        self.kind = kind
        self.bounds = bounds
        state = Mutex(State(buckets: Array(repeating: 0, count: bounds.count + 1)))
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { record(Double(value)) }
    func set(_ value: Double) { record(value) }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func reset() { state.withLock { $0 = State(buckets: Array(repeating: 0, count: bounds.count + 1)) } }

    func record(_ value: Double) {
        state.withLock { state in
            guard kind == .histogram else { return state.value = value }
            state.value += value
            state.buckets[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        }
    }

    private func add(_ amount: Double) {
        state.withLock { $0.value += amount }
    }

    func write(to text: inout String, _ name: String, _ labels: String) {
        let state = state.withLock { $0 }
        let braced = labels.isEmpty ? "" : "{\(labels)}"
        switch kind {
        case .counter: text += "\(name)_total\(braced) \(Self.text(state.value))\n"
        case .gauge: text += "\(name)\(braced) \(Self.text(state.value))\n"
        case .histogram:
            var count = 0
            for (bucket, bound) in zip(state.buckets, bounds + [.infinity]) {
                count += bucket
                let separator = labels.isEmpty ? "" : ","
                text += "\(name)_bucket{\(labels)\(separator)le=\"\(Self.text(bound))\"} \(count)\n"
            }
            text += "\(name)_count\(braced) \(count)\n\(name)_sum\(braced) \(Self.text(state.value))\n"
        }
    }

    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        return value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
    }
}
