internal import CRxCore
internal import Dispatch
import RxSwift

final class Exploration {
    struct Failure {
        var why: String
        var switches: [crx_explore_switch]
        var tried: Int
    }

    private struct Run {
        var world: ExploredWorld
        var report: Schedule.Report
        var why: String?
        var result: RunResult
    }

    /// The controlled threads belong to the process, so the process explores one program at a time.
    private static let turn = DispatchSemaphore(value: 1)
    /// The exploring thread, or 0.
    private static let owner = Locked<UInt>(0)
    static let mostOrders = 4_000
    private static let widest = 100

    private let schedules: Int
    private let seed: UInt64
    private let patience: Int
    private let body: (ExploredWorld) throws -> Void
    /// The results of all orders of the actions.
    private var allowed: Set<RunResult>?
    /// Describes a thread that went too long without a control point while `allowed` was computed.
    private var waitOfOrder: String?

    init(schedules: Int, seed: UInt64, patience: Int = 5_000, _ body: @escaping (ExploredWorld) throws -> Void) {
        (self.schedules, self.seed, self.patience, self.body) = (schedules, seed, patience, body)
    }

    func report(replaying name: String?) throws -> String? {
        guard crx_explore_current() < 0 else { return "explore was called by a thread of another exploration" }
        if Self.owner.withLock({ $0 == crx_thread_self() }) { return "explore was called within another exploration" }
        Self.turn.wait()
        Self.owner.withLock { $0 = crx_thread_self() }
        defer {
            Self.owner.withLock { $0 = 0 }
            Self.turn.signal()
        }
        if let name {
            guard let strategy = Schedule.Strategy(name) else {
                return "The schedule \"\(name)\" cannot be replayed: it is not a name that a failure has printed."
            }
            let run = try run(strategy)
            return try run.why.map {
                try text(Failure(why: $0, switches: run.report.switches, tried: 1), isReplay: true)
            }
        }
        return try failure().map { try text($0, isReplay: false) }
    }

    private func failure() throws -> Failure? {
        var steps: UInt32 = 0
        // The first run may take more steps than later runs, because it may initialise global state. So if the first
        // run fails, the default schedule runs again.
        if let why = try run(.switches([])).why {
            let again = try run(.switches([]))
            guard let whyAgain = again.why else {
                return Failure(why: "\(why); \(Self.onlyFirst)", switches: [], tried: 1)
            }
            return try minimised(Failure(why: whyAgain, switches: [], tried: 1), again)
        }
        for number in 0..<UInt64(max(1, schedules)) {
            let run = try run(Schedule.strategy(number, seed: seed, steps: max(steps, 10)))
            steps = max(steps, run.report.steps)
            if let why = run.why {
                return try minimised(
                    Failure(why: why, switches: run.report.switches, tried: Int(number) + 1), run)
            }
            if number == 0, let difference = try difference(run) {
                return Failure(why: difference, switches: run.report.switches, tried: 1)
            }
        }
        return nil
    }

    private static let onlyFirst =
        "only the first run of this schedule fails: the program depends on state that an earlier run has left"

    private func difference(_ first: Run) throws -> String? {
        let again = try run(.switches(first.report.switches))
        return again.report.trace == first.report.trace && again.result == first.result && again.why == first.why
            ? nil
            : "two runs of the same schedule differ: the program depends on something that the world does not control, "
                + "such as a clock, a random number, or state that an earlier run has left"
    }

    private func minimised(_ failure: Failure, _ run: Run) throws -> Failure {
        // Each further run would again wait for `patience` milliseconds.
        if run.report.isWaiting || waitOfOrder != nil { return failure }
        let first = try self.run(.switches(failure.switches))
        if first.why == nil {
            return Failure(why: try difference(first) ?? failure.why, switches: failure.switches, tried: failure.tried)
        }
        if let difference = try difference(first) {
            return Failure(why: failure.why + "; " + difference, switches: failure.switches, tried: failure.tried)
        }
        var smallest = failure
        smallest.switches = try Schedule.minimised(failure.switches) { fewer in
            guard let why = try self.run(.switches(fewer)).why else { return false }
            smallest.why = why
            return true
        }
        return smallest
    }

    private func run(_ strategy: Schedule.Strategy, keepsTimeline: Bool = false) throws -> Run {
        let world = ExploredWorld(keepsTimeline: keepsTimeline)
        try body(world)
        world.oracle = { [unowned self] in allows($0) }
        let report = world.run(strategy, patience: patience)
        // The world is never released: the threads of an unfinished run still use it.
        if report.stuck != nil { _ = Unmanaged.passRetained(world) }
        let result = world.result
        let failure = report.stuck ?? world.failure()
        let why = waitOfOrder.map { "isLinearizable: in an order of the program's actions, \($0)" } ?? failure
        if report.stuck == nil { world.end() }
        return Run(world: world, report: report, why: why, result: result)
    }

    // MARK: Orders

    private func allows(_ result: RunResult) -> Bool {
        if allowed == nil { allowed = results() }
        return allowed!.contains(result)
    }

    private func results() -> Set<RunResult> {
        var results: Set<RunResult> = []
        var choices: [crx_explore_choice] = []
        for _ in 0..<Self.mostOrders {
            let world = ExploredWorld()
            // `try?` suffices, because an earlier call of `body` did not throw.
            try? body(world)
            let report = world.run(.marks(choices), patience: patience)
            if report.stuck == nil {
                results.insert(world.result)
                world.end()
            } else {
                // The world is never released: the threads of an unfinished run still use it.
                _ = Unmanaged.passRetained(world)
            }
            if report.isWaiting {
                waitOfOrder = report.stuck
                return results
            }
            guard let next = Schedule.next(after: report.choices) else { return results }
            choices = next
        }
        fatalError(
            "isLinearizable: the program has more than \(Self.mostOrders) orders of its actions; use fewer threads or "
                + "fewer actions")
    }

    // MARK: Reporting

    private func text(_ failure: Failure, isReplay: Bool) throws -> String {
        let run = try run(.switches(failure.switches), keepsTimeline: true)
        let name = Schedule.Strategy.switches(failure.switches).name
        var lines = ["A schedule of the threads fails: \(failure.why)."]
        lines += Self.rows(run.world.timeline).map { "    " + $0 }
        for record in run.world.records { lines.append("    " + record.summary) }
        if let allowed, waitOfOrder == nil {
            lines.append("    Each of \(allowed.count) results that an order of the actions gives is different.")
        }
        if isReplay {
            lines.append("Schedule \(name).")
        } else {
            lines.append("Schedule \(name), found as number \(failure.tried) of \(schedules).")
            lines.append("Replay it with: explore(replay: \"\(name)\") { world in")
        }
        return lines.joined(separator: "\n")
    }

    /// A row for each thread and a column for each entry, in blocks of limited width.
    static func rows(_ timeline: [ExploredWorld.Entry]) -> [String] {
        var names: [String] = []
        for entry in timeline where !names.contains(entry.thread) { names.append(entry.thread) }
        let margin = (names.map(\.count).max() ?? 0) + 2
        var lines: [String] = []
        var rest = timeline[...]
        while !rest.isEmpty {
            var rows = names.map { $0.padded(to: margin) }
            var isEmpty = true
            while let entry = rest.first, isEmpty || rows[0].count + entry.text.count <= widest {
                let width = entry.text.count + 2
                for index in rows.indices {
                    rows[index] += names[index] == entry.thread ? entry.text.padded(to: width) : " ".padded(to: width)
                }
                isEmpty = false
                rest.removeFirst()
            }
            if !lines.isEmpty { lines.append("") }
            lines += rows.map { String($0.reversed().drop { $0 == " " }.reversed()) }
        }
        return lines
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
