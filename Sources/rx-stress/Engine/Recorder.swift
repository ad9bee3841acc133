/// The figures of one scenario over time. Each round adds its latencies; the ticker takes samples.
final class Recorder: Sendable {
    struct Sample: Codable, Sendable {
        var seconds: Double
        var operationsPerSecond: Double
        var eventsPerSecond: Double
        var subscriptionsPerSecond: Double
        var residentBytes: Int
        var medianNanoseconds: UInt64?
        var tailNanoseconds: UInt64?
    }

    struct Result: Sendable {
        var totals = Totals()
        var seconds = 0.0
        var medianNanoseconds: UInt64 = 0
        var tailNanoseconds: UInt64 = 0
        var worstNanoseconds: UInt64 = 0
        var peakBytes = 0
        var samples: [Sample] = []
    }

    private struct State {
        var all = Latencies()
        var recent = Latencies()
        var samples: [Sample] = []
        var lastTotals: Totals
        var lastTime: UInt64
        var peakBytes: Int
    }

    private let soakStart: UInt64
    private let start: UInt64
    private let before: Totals
    private let interval: Double
    private let state: Locked<State>

    /// The maximum number of samples; more would overlap in a plot.
    private static let mostSamples = 240.0
    static let tailPercentile = 99.9

    init(soakStart: UInt64, totals: Totals, seconds: Double) {
        self.soakStart = soakStart
        start = Clock.now()
        before = totals
        interval = max(0.1, seconds / Self.mostSamples)
        state = Locked(State(lastTotals: totals, lastTime: start, peakBytes: ProcessFacts.residentBytes()))
    }

    /// Called between rounds, when no worker uses its histogram.
    func gather(_ workers: [Worker]) {
        state.withLock { state in
            for worker in workers { worker.takeLatencies(into: &state.recent) }
        }
    }

    func tick(_ totals: Totals) {
        let now = Clock.now()
        let bytes = ProcessFacts.residentBytes()
        state.withLock { state in
            state.peakBytes = max(state.peakBytes, bytes)
            let elapsed = Double(now - state.lastTime) / 1e9
            guard elapsed >= interval else { return }
            let done = totals - state.lastTotals
            let timed = state.recent.totalCount > 0
            state.samples.append(
                Sample(
                    seconds: Double(now - soakStart) / 1e9, operationsPerSecond: Double(done.operations) / elapsed,
                    eventsPerSecond: Double(done.events) / elapsed,
                    subscriptionsPerSecond: Double(done.subscriptions) / elapsed,
                    residentBytes: bytes, medianNanoseconds: timed ? state.recent.valueAtPercentile(50) : nil,
                    tailNanoseconds: timed ? state.recent.valueAtPercentile(Self.tailPercentile) : nil))
            state.all.add(state.recent)
            state.recent.reset()
            state.lastTotals = totals
            state.lastTime = now
        }
    }

    var rates: (events: Double, subscriptions: Double) {
        state.withLock { ($0.samples.last?.eventsPerSecond ?? 0, $0.samples.last?.subscriptionsPerSecond ?? 0) }
    }

    func result(_ totals: Totals) -> Result {
        state.withLock { state in
            state.all.add(state.recent)
            state.recent.reset()
            return Result(
                totals: totals - before, seconds: Clock.seconds(since: start),
                medianNanoseconds: state.all.valueAtPercentile(50),
                tailNanoseconds: state.all.valueAtPercentile(Self.tailPercentile),
                worstNanoseconds: state.all.maxRecorded,
                peakBytes: state.peakBytes, samples: state.samples)
        }
    }
}
