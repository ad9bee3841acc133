@testable import rx_stress

extension Origin {
    static func example(machine: String = "a machine") -> Origin {
        Origin(machine: machine, commit: "abc", swift: "6.3.1", started: "yesterday")
    }
}

extension Summary {
    static func example(
        _ names: [String], missing: [String] = [], interrupted: Bool = false, violations: [Violation] = []
    ) -> Summary {
        let scenarios = names.enumerated().map { index, name in
            var result = Recorder.Result()
            result.seconds = 2
            result.totals.operations = 800
            result.medianNanoseconds = 100
            result.samples = [0.5, 1.5].map { Recorder.Sample.example(at: Double(index * 2) + $0) }
            return Outcome(
                name: name, summary: "An example", rounds: 1, result: result, violations: violations,
                violationCount: violations.count)
        }
        return Summary(
            origin: .example(), seed: 7, threads: 4, sanitizer: nil, wantedSeconds: 2, seconds: 2,
            interrupted: interrupted,
            missing: missing, scenarios: scenarios)
    }
}

extension Recorder.Sample {
    static func example(at seconds: Double) -> Recorder.Sample {
        Recorder.Sample(
            seconds: seconds, operationsPerSecond: 400, eventsPerSecond: 0, subscriptionsPerSecond: 0,
            residentBytes: 1 << 20)
    }
}

extension EarlierReport {
    static func example(
        _ names: [String], operationsPerSecond: Double, machine: String = "a machine", threads: Int = 4
    ) -> EarlierReport {
        let figures = names.map {
            Figures(
                name: $0, operationsPerSecond: operationsPerSecond, medianNanoseconds: 100, tailNanoseconds: 0,
                peakBytes: 0)
        }
        return EarlierReport(
            finished: "yesterday", threads: threads, sanitizer: nil, origin: .example(machine: machine),
            scenarios: figures)
    }
}
