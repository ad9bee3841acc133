/// How one scenario went.
struct Outcome: Codable, Sendable {
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

    init(name: String, summary: String, rounds: Int, result: Recorder.Result, violations: [Violation], violationCount: Int) {
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

/// How the soak went: what the table, the JSON and the page show.
struct Summary: Codable, Sendable {
    let seed: UInt64
    let threads: Int
    let sanitizer: Sanitizer?
    let wantedSeconds: Double
    let seconds: Double
    let interrupted: Bool
    /// The scenarios that an early end left out.
    let missing: [String]
    let scenarios: [Outcome]

    var broken: [Outcome] { scenarios.filter { $0.violationCount > 0 } }
    var passed: Bool { broken.isEmpty }

    var verdict: String {
        let again = Reproduction(seed: seed, threads: threads, sanitizer: sanitizer, scenarios: broken.map(\.name)).command
        guard passed else {
            let names = broken.map { outcome in
                "\(outcome.name) (\(Set(outcome.violations.map(\.check.rawValue)).sorted().joined(separator: ", ")))"
            }
            return "soak FAILED: \(names.joined(separator: ", ")); seed \(seed); again with \(again)"
        }
        let cut = interrupted ? ", interrupted after \(Format.seconds(seconds)) with \(missing.count) scenarios to go" : ""
        return "soak passed: \(scenarios.count) scenarios, seed \(seed)\(cut)"
    }
}

/// The command that makes the same choices again; the threads' race is their own.
struct Reproduction {
    let seed: UInt64
    let threads: Int
    let sanitizer: Sanitizer?
    let scenarios: [String]

    var command: String {
        let names = scenarios.map { " --scenario \($0)" }.joined()
        return "scripts/stress.sh\(names) --seed \(seed) --threads \(threads)" + (sanitizer.map { " --sanitize \($0.rawValue)" } ?? "")
    }
}
