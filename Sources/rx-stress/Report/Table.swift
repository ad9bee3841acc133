extension Summary {
    /// The table that ends a soak, a line for each scenario.
    var table: String {
        let header = ["scenario", "operations", "operations/s", "median", "99.9th", "peak memory", ""]
        let rows = scenarios.map { outcome in
            [
                outcome.name, Format.count(outcome.operations), Format.count(Int(outcome.operationsPerSecond)),
                Format.nanoseconds(outcome.medianNanoseconds), Format.nanoseconds(outcome.tailNanoseconds),
                Format.bytes(outcome.peakBytes), outcome.violationCount == 0 ? "ok" : "\(outcome.violationCount) violations",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        let lines = ([header] + rows).map { row in
            row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 || column == row.count - 1 ? row[column] + padding : padding + row[column]
            }.joined(separator: "  ").trimmingTrailingSpaces
        }
        let rule = String(repeating: "-", count: lines.map(\.count).max() ?? 0)
        let details = broken.flatMap { outcome in
            outcome.violations.map { "\(outcome.name), round \($0.round): \($0.check.rawValue) (\($0.check.promise)): \($0.message)" }
        }
        return ([lines[0], rule] + lines.dropFirst() + (details.isEmpty ? [] : [""] + details) + [""]).joined(separator: "\n")
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
