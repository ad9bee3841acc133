import Glibc
import RxSwift
import Synchronization

/// Runs the scenarios one after the other. Ends with a verdict, even after a stall or Ctrl-C.
final class Soak: Sendable {
    struct Plan: Sendable {
        var scenarios: [any Scenario.Type]
        var seconds: Double
        var seed: UInt64
        var threads: Int
        var stallSeconds: Double
        var sanitizer: Sanitizer?
        var report: ReportFolder?
        var earlier: EarlierReport?
    }

    private struct Current {
        let scenario: any Scenario.Type
        let recorder: Recorder
        let violations: Violations
        var rounds = 0
    }

    private struct State {
        var finished: [Outcome] = []
        var current: Current?
        var concluded = false
    }

    private let plan: Plan
    private let origin = Origin.here()
    private let team: Team
    private let bar: ProgressBar
    private let start = Clock.now()
    private let state = Locked(State())
    private let stall: Locked<StallCheck>
    private let interrupted = Atomic<Bool>(false)

    init(_ plan: Plan) {
        self.plan = plan
        team = Team(threads: plan.threads)
        bar = ProgressBar(seconds: plan.seconds)
        stall = Locked(StallCheck(seconds: plan.stallSeconds))
    }

    func run() -> Never {
        Sanitizer.onFatalReport = { [self] in concludeWithinReport() }
        CrashVerdict.install()
        Ticker.start { [self] in tick(interrupted: $0) }
        for (index, scenario) in plan.scenarios.enumerated() where !isInterrupted {
            let left = plan.seconds - Clock.seconds(since: start)
            let shares = plan.scenarios[index...].reduce(0) { $0 + $1.share }
            run(scenario, seconds: max(0, left) * scenario.share / shares)
        }
        conclude()
    }

    private var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

    // MARK: One scenario

    private func run(_ type: any Scenario.Type, seconds: Double) {
        let began = Clock.now()
        let reportsBefore = Sanitizer.reports
        let violations = Violations { [bar] violation in
            bar.say("\(type.name), round \(violation.round): \(violation.check.rawValue): \(violation.message)")
        }
        let recorder = Recorder(soakStart: start, totals: team.totals, seconds: seconds)
        state.withLock { $0.current = Current(scenario: type, recorder: recorder, violations: violations) }

        CrashVerdict.prepare(
            "soak FAILED: a crash in \(type.name); seed \(plan.seed); again with \(plan.command(for: [type.name]))")
        let scenario = type.init()
        let lifetimes = Lifetimes()
        let random = SplitMix64(seed: plan.seed).forked(type.name)
        var flatness = FlatnessCheck(violations, sanitized: plan.sanitizer != nil)
        var resources: Int?
        var rounds = 0
        // Counting resources synchronises threads, which could hide missing ordering from ThreadSanitizer.
        let tracedEvery = plan.sanitizer == .thread ? 8 : 2
        // The first round is the baseline for later rounds, because the library creates its singletons in it.
        while !isInterrupted && violations.count == 0 && (rounds < 2 || Clock.seconds(since: began) < seconds) {
            violations.begin(round: rounds)
            Resources.isTracing = rounds % tracedEvery == 0
            // Every other round uses a random number of threads. With a processor for each thread, threads run the same
            // code at the same moment. With more threads than processors, the kernel suspends threads in the middle of
            // this code.
            var choices = random.forked(UInt64(rounds))
            let threads = rounds % 2 == 0 ? team.size : 2 + choices.below(team.size - 1)
            scenario.round(
                Round(team: team, threads: threads, violations: violations, lifetimes: lifetimes, random: choices))
            recorder.gather(team.workers)
            if resources == nil { resources = LeakCheck.settledResources(lifetimes) }
            LeakCheck(lifetimes: lifetimes, resources: resources ?? 0, violations: violations).finish()
            flatness.rest(bytes: ProcessFacts.residentBytes(), descriptors: ProcessFacts.openDescriptors())
            rounds += 1
            state.withLock { $0.current?.rounds = rounds }
            let reports = Sanitizer.reports - reportsBefore
            if reports > 0 { violations.record(.sanitizer, "\(Format.plural(reports, "report")), see above") }
        }
        flatness.finish()
        state.withLock { state in
            if let outcome = outcome(state.current) { state.finished.append(outcome) }
            state.current = nil
        }
    }

    private func outcome(_ current: Current?) -> Outcome? {
        guard let current else { return nil }
        return Outcome(
            name: current.scenario.name, summary: current.scenario.summary, rounds: current.rounds,
            result: current.recorder.result(team.totals), violations: current.violations.kept,
            violationCount: current.violations.count)
    }

    // MARK: The ticker's part

    private func tick(interrupted signalled: Bool) {
        if signalled, interrupted.exchange(true, ordering: .relaxed) {  // a second signal ends the process at once
            complain("interrupted again: there is no verdict")
            _exit(130)
        }
        let totals = team.totals
        let (current, done) = state.withLock { ($0.current, $0.finished.count) }
        guard let current else { return }
        current.recorder.tick(totals)
        bar.draw(
            scenario: current.scenario.name, number: done + 1, of: plan.scenarios.count,
            elapsed: Clock.seconds(since: start),
            rates: current.recorder.rates, violations: violationCount)
        if stall.withLock({ $0.hasStalled(at: totals) }) {
            current.violations.record(
                .stall, "no progress for \(Int(plan.stallSeconds)) s: a deadlock, or equivalent to one")
            conclude()
        }
    }

    private var violationCount: Int {
        state.withLock { $0.finished.reduce($0.current?.violations.count ?? 0) { $0 + $1.violationCount } }
    }

    // MARK: The end

    private var summary: Summary {
        let outcomes = state.withLock { state in state.finished + (outcome(state.current).map { [$0] } ?? []) }
        return Summary(
            origin: origin, seed: plan.seed, threads: plan.threads, sanitizer: plan.sanitizer,
            wantedSeconds: plan.seconds,
            seconds: Clock.seconds(since: start), interrupted: isInterrupted,
            missing: plan.scenarios.map { $0.name }.filter { name in !outcomes.contains { $0.name == name } },
            scenarios: outcomes)
    }

    /// Called after the last scenario, or by the ticker after a stall.
    private func conclude() -> Never {
        let first = state.withLock { state in
            defer { state.concluded = true }
            return !state.concluded
        }
        guard first else { while true { pause() } }  // the other thread concludes
        let summary = summary
        bar.clear()
        print(summary.table(comparedWith: plan.earlier))
        if let folder = plan.report {
            do {
                for path in try summary.write(to: folder, comparedWith: plan.earlier) { print("report: \(path)") }
            } catch {
                complain("the report could not be written to \(folder.path): \(error)")
                print(summary.verdict)
                fflush(nil)
                exit(1)
            }
        }
        print(summary.verdict)
        fflush(nil)
        // `exit` runs exit handlers, which may wait for a stalled thread.
        if summary.passed { exit(0) } else { _exit(summary.exitStatus) }
    }

    private func concludeWithinReport() {
        guard let current = state.withLock({ $0.current }) else { return }
        bar.clear()
        print(
            "soak FAILED: AddressSanitizer report in \(current.scenario.name); "
                + "again with \(plan.command(for: [current.scenario.name]))"
        )
        fflush(nil)
    }
}

extension Soak.Plan {
    func command(for scenarios: [String]) -> String {
        Reproduction(seed: seed, threads: threads, sanitizer: sanitizer, scenarios: scenarios).command
    }
}
