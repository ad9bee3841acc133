import Testing

@testable import rx_stress

struct SummaryTests {
    @Test func verdictOfPassedSoakCountsScenarios() {
        #expect(Summary.example(["take"]).verdict == "soak passed: 1 scenario, seed 7")
        #expect(Summary.example(["take", "zip"]).verdict == "soak passed: 2 scenarios, seed 7")
        #expect(Summary.example(["take"]).exitStatus == 0)
    }

    @Test func interruptedSoakIsReportedAndHasNotPassed() {
        let summary = Summary.example(["take"], missing: ["zip"], interrupted: true)
        #expect(
            summary.verdict
                == "soak interrupted after 2.0 s with 1 scenario to go, no promise broken until then; seed 7")
        #expect(summary.exitStatus == 130)
        #expect(!summary.passed)
    }

    @Test func aBrokenPromiseCountsForMoreThanAnInterruption() {
        let broken = Violation(check: .count, round: 3, message: "one is lost")
        let summary = Summary.example(["take"], missing: ["zip"], interrupted: true, violations: [broken])
        #expect(
            summary.verdict.hasPrefix(
                "soak FAILED: take (count); interrupted after 2.0 s with 1 scenario to go; seed 7; again with "))
        #expect(summary.exitStatus == 1)
    }

    @Test func theTableComparesWithAnEarlierReport() {
        let earlier = EarlierReport.example(["take"], operationsPerSecond: 200)
        let lines = Summary.example(["take", "zip"]).table(comparedWith: earlier).split(separator: "\n")
        #expect(lines[0].contains("operations/s  change"))
        #expect(lines[2].contains("400  +100 %"))
        #expect(lines[3].contains("new"))
        #expect(lines[4] == "compared with commit abc, Swift 6.3.1, yesterday, a machine")
    }

    @Test func comparisonNamesOtherMachineAndThreads() {
        let earlier = EarlierReport.example(["take"], operationsPerSecond: 200, machine: "another", threads: 2)
        #expect(
            Summary.example(["take"]).comparison(with: earlier).hasSuffix("another (another machine, other threads: 2)")
        )
    }
}
