import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import RxObservability
import RxResilience
import RxTest

struct Declined: Error {}

extension TestScheduler {
    static func milliseconds() -> TestScheduler { TestScheduler(initialClock: 0, resolution: 0.001) }
}

struct TestLog {
    let handler: InMemoryLogHandler
    let logger: Logger

    init(_ level: Logger.Level = .trace, provider: Logger.MetadataProvider? = nil) {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        handler.metadataProvider = provider
        self.handler = handler
        logger = Logger(label: "test") { [handler] _ in handler }
    }

    var messages: [String] {
        handler.entries.map { entry in
            entry.metadata["rx.element"].map { "\(entry.message) \($0)" } ?? "\(entry.message)"
        }
    }
}

struct Exported {
    let metrics = TestMetrics()
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    let export: any Disposable

    private init(_ export: (TestScheduler, TestMetrics) -> any Disposable) {
        self.export = export(scheduler, metrics)
    }

    static func limits(names: Int = 100) -> Exported {
        Exported { Resilience.export(every: .seconds(10), on: $0, names: names, factory: $1) }
    }

    static func counters(prefix: String = "rx", names: Int = 100) -> Exported {
        Exported { Counters.export(every: .seconds(10), on: $0, prefix: prefix, names: names, factory: $1) }
    }

    func next() { scheduler.advanceTo(scheduler.clock + 10) }

    private func dimensions(_ name: String?, _ label: (String, String)?) -> [(String, String)] {
        (name.map { [("rx.name", $0)] } ?? []) + (label.map { [$0] } ?? [])
    }

    func counter(_ metric: String, _ name: String? = nil, _ label: (String, String)? = nil) -> Int64? {
        (try? metrics.expectCounter(metric, dimensions(name, label)))?.totalValue
    }

    func seconds(_ metric: String, _ name: String) -> [Int64]? {
        (try? metrics.expectTimer(metric, dimensions(name, nil)))?.values.map { $0 / 1_000_000_000 }
    }

    func gauge(_ metric: String, _ name: String? = nil, _ label: (String, String)? = nil) -> Double? {
        (try? metrics.expectGauge(metric, dimensions(name, label)))?.lastValue
    }
}

func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) {
    precondition(value == expected, "line \(line): \(value) is not \(expected)")
}

extension TestMetrics {
    /// A line for each metric: its name, its kind, for a histogram its unit, and the names of its labels.
    var lines: Set<String> {
        var lines: Set<String> = []
        func add(_ label: String, _ kind: String, _ dimensions: [(String, String)]) {
            lines.insert("\(label) \(kind): \(dimensions.map(\.0).joined(separator: ", "))")
        }
        for metric in counters { add(metric.label, "counter", metric.dimensions) }
        for metric in timers {
            add(metric.label, metric.displayUnit == .seconds ? "histogram of seconds" : "timer", metric.dimensions)
        }
        for metric in recorders { add(metric.label, metric.aggregate ? "histogram" : "gauge", metric.dimensions) }
        return lines
    }
}

/// A row of a table of the page MetricsOfLimits.
struct MetricsRow {
    let metric, kind, unit: String
    let labels: [String]
    /// The label's values: the words in code style in the column "meaning".
    let values: [String]

    func line(_ labels: [String]) -> String {
        let unit = kind == "histogram" && unit == "seconds" ? " of seconds" : ""
        return "\(metric) \(kind)\(unit): \(labels.joined(separator: ", "))"
    }

    static func page() throws -> (limits: [MetricsRow], counters: [MetricsRow]) {
        let root = "\(#filePath)".components(separatedBy: "/Tests/")[0]
        let page = try String(
            contentsOfFile: "\(root)/Sources/RxObservability/RxObservability.docc/MetricsOfLimits.md", encoding: .utf8)
        let parts = page.components(separatedBy: "### Elements, queues and schedulers")
        return (rows(parts[0]), rows(parts[1]))
    }

    /// | `name` | kind | unit | `label` | meaning | alert |
    private static func rows(_ text: String) -> [MetricsRow] {
        text.split(separator: "\n").filter { $0.hasPrefix("| `rx.") }.map { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            func code(_ cell: String) -> [String] {
                cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
            }
            return MetricsRow(
                metric: code(cells[0])[0], kind: cells[1], unit: cells[2], labels: code(cells[3]),
                values: code(cells[4]))
        }
    }
}
