extension Summary {
    func table(comparedWith earlier: EarlierReport? = nil) -> String {
        let change = earlier == nil ? [] : ["change"]
        let header =
            ["scenario", "operations", "operations/s"] + change + ["median"] + change + ["99.9th", "peak memory", ""]
        let rows = scenarios.map { outcome in
            let before = earlier?.figures(of: outcome.name)
            func change(_ former: (EarlierReport.Figures) -> Double, _ now: Double) -> [String] {
                earlier == nil ? [] : [before.map { Format.change(from: former($0), to: now) } ?? "new"]
            }
            return [outcome.name, Format.count(outcome.operations), Format.count(Int(outcome.operationsPerSecond))]
                + change(\.operationsPerSecond, outcome.operationsPerSecond) + [
                    Format.nanoseconds(outcome.medianNanoseconds)
                ]
                + change({ Double($0.medianNanoseconds) }, Double(outcome.medianNanoseconds))
                + [
                    Format.nanoseconds(outcome.tailNanoseconds), Format.bytes(outcome.peakBytes),
                    outcome.violationCount == 0 ? "ok" : Format.plural(outcome.violationCount, "violation"),
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
            outcome.violations.map {
                "\(outcome.name), round \($0.round): \($0.check.rawValue) (\($0.check.promise)): \($0.message)"
            }
        }
        let compared = earlier.map { ["", comparison(with: $0)] } ?? []
        return ([lines[0], rule] + lines.dropFirst() + compared + (details.isEmpty ? [] : [""] + details) + [""])
            .joined(separator: "\n")
    }
}

extension Summary {
    func comparison(with earlier: EarlierReport) -> String {
        "compared with \(earlier.words)" + (earlier.difference(from: self).map { " (\($0))" } ?? "")
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
