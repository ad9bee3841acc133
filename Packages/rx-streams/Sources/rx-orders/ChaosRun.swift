import Foundation

/// The records of a run of `scripts/chaos.sh`.
struct ChaosRun: Sendable {
    struct Progress: Sendable {
        let time: Double
        let published, waiting, unsettled, dead: Double

        var settled: Double { published - waiting - unsettled }
    }

    struct Mark: Sendable {
        let time: Double
        let what: String
    }

    struct Check: Sendable {
        let isWell: Bool
        let what: String

        var line: String { "           \(what)\(isWell ? "" : "   FAILED")" }
    }

    let progress: [Progress]
    /// The memory of the worker that uses the most, at each time.
    let memory: [(time: Double, bytes: Double)]
    let marks: [Mark]
    let checks: [Check]

    init(folder: String) throws {
        func rows(_ name: String, _ separator: Character) throws -> [[Substring]] {
            let path = "\(folder)/\(name)"
            guard FileManager.default.fileExists(atPath: path) else { throw Failure("there is no '\(path)'") }
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                .map { $0.split(separator: separator, omittingEmptySubsequences: false) }
        }
        progress = try rows("watch.tsv", "\t").compactMap { row in
            let numbers = row.compactMap { Double($0) }
            guard numbers.count == 5 else { return nil }
            return Progress(
                time: numbers[0], published: numbers[1], waiting: numbers[2], unsettled: numbers[3], dead: numbers[4])
        }
        memory = try rows("memory.tsv", "\t").compactMap { row in
            let numbers = row.compactMap { Double($0) }
            return numbers.count == 2 ? (numbers[0], numbers[1] * 1_024) : nil
        }
        marks = try rows("marks.txt", " ").compactMap { row in
            row.first.flatMap { Double($0) }.map { Mark(time: $0, what: row.dropFirst().joined(separator: " ")) }
        }
        checks =
            try rows("checks.tsv", "\t").compactMap { row in
                row.count == 2 ? Check(isWell: row[0] == "ok", what: String(row[1])) : nil
            } + [Self.flatness(of: memory)]
    }

    /// Checks that the maximum memory of the run's last third exceeds that of the middle third by at most 25 % plus 16
    /// MiB. The first third is a warm-up.
    private static func flatness(of memory: [(time: Double, bytes: Double)]) -> Check {
        let third = memory.count / 3
        guard third >= 3 else { return Check(isWell: true, what: "memory: the run is too short for this check") }
        let middle = memory[third..<(2 * third)].map(\.bytes).max() ?? 0
        let end = memory[(2 * third)...].map(\.bytes).max() ?? 0
        let isFlat = end <= middle * 1.25 + Double(16 << 20)
        func mebibytes(_ bytes: Double) -> String { "\(Int(bytes / 1_048_576)) MiB" }
        return Check(
            isWell: isFlat,
            what:
                "memory of the largest worker: \(mebibytes(middle)) in the middle third, \(mebibytes(end)) in the last")
    }
}
