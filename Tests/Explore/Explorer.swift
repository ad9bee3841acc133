import CRxCore
import RxTest

struct Explorer {
    struct Failure {
        var program: Program
        var schedule: Schedule.Strategy
        var why: String
        /// Whether a thread reached no control point for too long. Such a failure is neither replayed nor minimised,
        /// because each run would wait just as long.
        var isWaiting = false
    }

    private(set) var schedules = 0
    private(set) var programs = 0
    private(set) var orders = 0
    private(set) var tooLarge = 0

    /// The returned failure is nil if the result is allowed.
    mutating func failure(
        _ program: Program, _ strategy: Schedule.Strategy, _ oracle: Oracle, wantsForks: Bool = false
    ) -> (failure: Failure?, report: Schedule.Report, outcome: Outcome) {
        schedules += 1
        Crash.isRunning(strategy)
        var world: World? = World(program)
        weak var token: World.Token?
        token = world!.token
        let report = world!.run(strategy, wantsForks: wantsForks)
        let outcome = world!.outcome
        func failed(_ why: String) -> (Failure?, Schedule.Report, Outcome) {
            let failure = Failure(
                program: program, schedule: .switches(report.switches), why: why, isWaiting: report.isWaiting)
            return (failure, report, outcome)
        }
        if let stuck = report.stuck { return failed(stuck) }
        switch oracle.allows(
            outcome, left: world!.left, waiting: world!.waiting, cut: world!.cut, passing: world!.passing,
            precedences: world!.precedences)
        {
        case .some(true):
            // From here on, only chains that were not freed retain `token`.
            world = nil
            return token == nil ? (nil, report, outcome) : failed("a chain is not freed")
        case .some(false): return failed("no order gives this result")
        case nil:
            tooLarge += 1
            return (nil, report, outcome)
        }
    }

    mutating func explore(_ program: Program, seed: UInt64, schedules count: Int) -> Failure? {
        Crash.isExploring(program)
        let oracle = Oracle(program)
        defer { orders += oracle.orders }
        programs += 1
        let first = firstRuns(program, oracle)
        if first.failure != nil || first.isTooLarge { return first.failure }
        var expected: UInt32 = 100
        for number in 0..<UInt64(count) {
            let strategy = Schedule.strategy(number, seed: seed, steps: expected)
            let (failure, report, outcome) = failure(program, strategy, oracle)
            if let failure { return confirmed(failure, report, oracle) }
            if number % Self.schedulesBetweenReplays == 0 {
                let again = self.failure(program, .switches(report.switches), oracle)
                if again.report.trace != report.trace || again.outcome != outcome {
                    return Failure(program: program, schedule: .switches(report.switches), why: Self.differs)
                }
            }
            if oracle.orders > Oracle.mostOrdersOfAll {
                tooLarge += 1
                break
            }
            expected = number == 0 ? report.steps : max(expected, report.steps)
        }
        return nil
    }

    /// Explores at most `limit` schedules with at most `most` preemptions, those with the fewest switches first.
    mutating func exhaust(_ program: Program, preemptions most: Int = 2, atMost limit: Int = .max) -> Failure? {
        Crash.isExploring(program)
        let oracle = Oracle(program)
        defer { orders += oracle.orders }
        programs += 1
        let first = firstRuns(program, oracle)
        if first.failure != nil || first.isTooLarge { return first.failure }
        var pending: [(list: [crx_explore_switch], preemptions: Int)] = [([], 0)]
        var next = 0
        while next < min(pending.count, limit) && oracle.orders < Oracle.mostOrdersOfAll {
            let (list, preemptions) = pending[next]
            next += 1
            let (failure, report, _) = failure(program, .switches(list), oracle, wantsForks: pending.count < limit)
            if let failure { return confirmed(failure, report, oracle) }
            for fork in report.forks where fork.step > list.last?.step ?? 0 || list.isEmpty {
                let cost = preemptions + (fork.preempts ? 1 : 0)
                if cost > most { continue }
                for thread in 0..<UInt32(CRX_EXPLORE_THREADS)
                where fork.enabled >> thread & 1 == 1 && thread != UInt32(fork.chosen) {
                    pending.append((list + [crx_explore_switch(step: fork.step, thread: thread)], cost))
                }
            }
        }
        return nil
    }

    /// Runs the default schedule and all orders of the actions.
    ///
    /// - Returns: the failure of the default schedule or of an order, and whether there are too many orders to compare.
    private mutating func firstRuns(_ program: Program, _ oracle: Oracle) -> (failure: Failure?, isTooLarge: Bool) {
        // This first run initialises global state of the library, so its steps differ from those of later runs. If this
        // run does not end, the orders might not end either.
        Crash.isRunning(.switches([]))
        if let stuck = World(program).run(.switches([])).stuck {
            let (again, report, _) = failure(program, .switches([]), oracle)
            guard let again else {
                let why = "\(stuck); only in the first run of the program"
                return (Failure(program: program, schedule: .switches([]), why: why, isWaiting: true), false)
            }
            return (confirmed(again, report, oracle), false)
        }
        Crash.isRunning(nil)
        if oracle.results == nil {
            if let waits = oracle.waits {
                let why = "in an order of the program's actions, \(waits)"
                return (Failure(program: program, schedule: .switches([]), why: why, isWaiting: true), false)
            }
            tooLarge += 1
            return (nil, true)
        }
        let (failure, report, _) = failure(program, .switches([]), oracle)
        return (failure.map { confirmed($0, report, oracle) }, false)
    }

    /// One in this number of successful schedules is replayed.
    private static let schedulesBetweenReplays: UInt64 = 50

    private static let differs = "replays of this schedule differ: something is not under control"

    /// Replays a failure twice. If the runs differ, adds a remark to `why`. If `isWaiting` is set, returns the failure
    /// unchanged.
    private mutating func confirmed(_ failure: Failure, _ report: Schedule.Report, _ oracle: Oracle) -> Failure {
        if failure.isWaiting { return failure }
        var traces: Set<UInt64> = [report.trace]
        var outcomes: Set<Outcome> = []
        var failure = failure
        for _ in 0..<2 {
            let again = self.failure(failure.program, failure.schedule, oracle)
            traces.insert(again.report.trace)
            outcomes.insert(again.outcome)
            if again.failure == nil { traces.insert(0) }
        }
        if traces.count > 1 || outcomes.count > 1 {
            failure.why += "; \(Self.differs)"
        }
        return failure
    }

    // MARK: Minimising

    /// Removes actions, then switches of threads, while the program still fails. Explores `effort` schedules of each
    /// smaller program. If `isWaiting` is set, returns the failure unchanged.
    mutating func minimised(_ failure: Failure, effort: Int) -> Failure {
        var smallest = failure
        var seed: UInt64 = 1
        search: while !smallest.isWaiting {
            for program in smallest.program.smaller {
                seed += 1
                if let found = explore(program, seed: seed, schedules: effort) {
                    smallest = found
                    continue search
                }
            }
            break
        }
        guard !smallest.isWaiting, case .switches(var list) = smallest.schedule else { return smallest }
        let oracle = Oracle(smallest.program)
        list = Schedule.minimised(list) { fewer in
            if smallest.isWaiting { return false }
            guard let found = self.failure(smallest.program, .switches(fewer), oracle).failure else { return false }
            (smallest.why, smallest.isWaiting) = (found.why, found.isWaiting)
            return true
        }
        smallest.schedule = .switches(list)
        return smallest
    }

    // MARK: Reporting

    func timeline(_ failure: Failure) -> String {
        let world = World(failure.program, keepsTimeline: true)
        let report = world.run(failure.schedule)
        let width = 38
        let threads = max(failure.program.threads.count, 1 + (world.timeline ?? []).map(\.thread).max()!)
        var lines = [(0..<threads).map { pad("thread \($0)", width) }.joined()]
        for (thread, text) in world.timeline ?? [] {
            lines.append(
                thread < 0 ? "-- \(text)" : String(repeating: " ", count: thread * width) + text)
        }
        lines.append("result: " + Self.text(world.outcome, failure.program))
        if report.stuck == nil, let results = Oracle(failure.program).results {
            for allowed in results.map({ Self.text($0, failure.program) }).sorted().prefix(12) {
                lines.append("allowed: " + allowed)
            }
        }
        return lines.joined(separator: "\n")
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func text(_ outcome: Outcome, _ program: Program) -> String {
        var parts: [String] = []
        for (index, channel) in outcome.enumerated() where !channel.isEmpty {
            let number = index - Program.observers
            let subject = number - program.stages.count
            let name =
                number < 0
                ? "o\(index)" : subject < 0 ? program.stages[number].name : Program.letters[subject] + "+"
            parts.append(
                subject >= 0
                    ? name + String(channel.count { $0 == 1 }) + (channel.last == World.Entry.stays ? " OBSERVED" : "")
                    : name + " " + channel.map(World.text).joined(separator: " "))
        }
        return parts.joined(separator: ", ")
    }
}
