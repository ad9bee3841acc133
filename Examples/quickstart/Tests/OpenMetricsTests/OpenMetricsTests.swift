import CoreMetrics
import OpenMetrics
import Testing

struct OpenMetricsTests {
    private let metrics = OpenMetrics(durations: [0.1, 1], sizes: [10])

    /// The text without the figures of the process.
    private var lines: [String] {
        metrics.text.split(separator: "\n").map(String.init).filter { !$0.contains("process_") }
    }

    @Test func counterIsTotalWithLabels() {
        let counter = Counter(label: "rx.intake.offers", dimensions: [("rx.name", "a\"b\\\n")], factory: metrics)
        counter.increment(by: 2)
        counter.increment()
        #expect(
            lines == [
                "# TYPE rx_intake_offers counter", "rx_intake_offers_total{rx_name=\"a\\\"b\\\\\\n\"} 3.0", "# EOF",
            ])
    }

    @Test func counterWithSuffixTotalHasOneSuffix() {
        Counter(label: "calls_total", factory: metrics).increment()
        #expect(lines == ["# TYPE calls counter", "calls_total 1.0", "# EOF"])
    }

    @Test func gaugeHasLastValue() {
        let gauge = Gauge(label: "depth", factory: metrics)
        gauge.record(7)
        gauge.record(2.5)
        #expect(lines == ["# TYPE depth gauge", "depth 2.5", "# EOF"])
    }

    @Test func meterCountsUpAndDown() {
        let meter = Meter(label: "active", factory: metrics)
        meter.increment(by: 3)
        meter.decrement(by: 1)
        #expect(lines == ["# TYPE active gauge", "active 2.0", "# EOF"])
    }

    @Test func timerIsHistogramInSeconds() {
        let timer = Timer(label: "wait", factory: metrics)
        timer.recordNanoseconds(100_000_000)
        timer.recordNanoseconds(500_000_000)
        timer.recordNanoseconds(2_000_000_000)
        #expect(
            lines == [
                "# TYPE wait_seconds histogram", "# UNIT wait_seconds seconds", "wait_seconds_bucket{le=\"0.1\"} 1",
                "wait_seconds_bucket{le=\"1.0\"} 2", "wait_seconds_bucket{le=\"+Inf\"} 3", "wait_seconds_count 3",
                "wait_seconds_sum 2.6", "# EOF",
            ])
    }

    @Test func recorderThatAggregatesIsHistogram() {
        Recorder(label: "size", dimensions: [("of", "x")], aggregate: true, factory: metrics).record(11)
        #expect(
            lines == [
                "# TYPE size histogram", "size_bucket{of=\"x\",le=\"10.0\"} 0", "size_bucket{of=\"x\",le=\"+Inf\"} 1",
                "size_count{of=\"x\"} 1", "size_sum{of=\"x\"} 11.0", "# EOF",
            ])
    }

    @Test func metricsOfOneNameAndLabelsShareSeries() {
        Counter(label: "a.b", factory: metrics).increment()
        Counter(label: "a_b", factory: metrics).increment()
        #expect(lines == ["# TYPE a_b counter", "a_b_total 2.0", "# EOF"])
    }

    @Test func metricOfOtherKindIsNotWritten() {
        Counter(label: "x", factory: metrics).increment()
        Gauge(label: "x", factory: metrics).record(9)
        #expect(lines == ["# TYPE x counter", "x_total 1.0", "# EOF"])
    }

    @Test func destroyedMetricIsNotWritten() {
        let counter = Counter(label: "x", factory: metrics)
        counter.destroy()
        #expect(lines == ["# EOF"])
    }

    @Test func infiniteAndUndefinedValuesHaveTheirNames() {
        Gauge(label: "a", factory: metrics).record(Double.infinity)
        Gauge(label: "b", factory: metrics).record(-Double.infinity)
        Gauge(label: "c", factory: metrics).record(Double.nan)
        #expect(lines.filter { !$0.hasPrefix("#") } == ["a +Inf", "b -Inf", "c NaN"])
    }

    @Test func processHasMemoryAndFiles() throws {
        func value(_ name: String) throws -> Double {
            let line = try #require(metrics.text.split(separator: "\n").first { $0.hasPrefix("\(name) ") })
            return try #require(Double(line.dropFirst(name.count + 1)))
        }
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        #expect(try value("process_open_fds") >= 3)
        #expect(try value("process_cpu_seconds_total") > 0)
    }
}
