struct Outcome: Encodable, Sendable {
    let name: String
    let summary: String
    let rounds: Int
    let seconds: Double
    let operations: Int
    let operationsPerSecond: Double
    let events: Int
    let subscriptions: Int
    let medianNanoseconds: UInt64
    let tailNanoseconds: UInt64
    let worstNanoseconds: UInt64
    let peakBytes: Int
    let violationCount: Int
    let violations: [Violation]
    let samples: [Recorder.Sample]

    init(
        name: String, summary: String, rounds: Int, result: Recorder.Result, violations: [Violation],
        violationCount: Int
    ) {
        self.name = name
        self.summary = summary
        self.rounds = rounds
        seconds = result.seconds
        operations = result.totals.operations
        operationsPerSecond = result.seconds > 0 ? Double(result.totals.operations) / result.seconds : 0
        events = result.totals.events
        subscriptions = result.totals.subscriptions
        medianNanoseconds = result.medianNanoseconds
        tailNanoseconds = result.tailNanoseconds
        worstNanoseconds = result.worstNanoseconds
        peakBytes = result.peakBytes
        self.violationCount = violationCount
        self.violations = violations
        samples = result.samples
    }
}

struct Summary: Encodable, Sendable {
    let origin: Origin
    let seed: UInt64
    let threads: Int
    let sanitizer: Sanitizer?
    let wantedSeconds: Double
    let seconds: Double
    let interrupted: Bool
    let missing: [String]
    let scenarios: [Outcome]

    var broken: [Outcome] { scenarios.filter { $0.violationCount > 0 } }
    /// An interrupted soak has neither failed nor passed.
    var passed: Bool { broken.isEmpty && !interrupted }

    var exitStatus: Int32 { broken.isEmpty ? interrupted ? 130 : 0 : 1 }
    var mark: String { broken.isEmpty ? interrupted ? "interrupted" : "passed" : "FAILED" }

    var verdict: String {
        let again = Reproduction(seed: seed, threads: threads, sanitizer: sanitizer, scenarios: broken.map(\.name))
            .command
        let cut = "interrupted after \(Format.seconds(seconds)) with \(Format.plural(missing.count, "scenario")) to go"
        guard broken.isEmpty else {
            let names = broken.map { outcome in
                "\(outcome.name) (\(Set(outcome.violations.map(\.check.rawValue)).sorted().joined(separator: ", ")))"
            }
            return
                "soak FAILED: \(names.joined(separator: ", "));\(interrupted ? " \(cut);" : "") seed \(seed); "
                + "again with \(again)"
        }
        if interrupted { return "soak \(cut), no promise broken until then; seed \(seed)" }
        return "soak passed: \(Format.plural(scenarios.count, "scenario")), seed \(seed)"
    }
}

/// The command that repeats the random choices of a soak. The timing of the threads is not repeated.
struct Reproduction {
    let seed: UInt64
    let threads: Int
    let sanitizer: Sanitizer?
    let scenarios: [String]

    var command: String {
        let names = scenarios.map { " --scenario \($0)" }.joined()
        return "scripts/stress.sh\(names) --seed \(seed) --threads \(threads)"
            + (sanitizer.map { " --sanitize \($0.rawValue)" } ?? "")
    }
}
