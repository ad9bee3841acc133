import Glibc
import RxSwift

final class Round {
    let threads: Int
    private let team: Team
    let violations: Violations
    let lifetimes: Lifetimes
    /// The generator for the shape of the round. Each worker has another generator for its actions.
    var random: SplitMix64

    init(team: Team, threads: Int, violations: Violations, lifetimes: Lifetimes, random: SplitMix64) {
        self.team = team
        self.threads = threads
        self.violations = violations
        self.lifetimes = lifetimes
        self.random = random
        for worker in team.workers { worker.random = random.forked(UInt64(worker.index)) }
    }

    func run(_ body: @escaping @Sendable (Worker) -> Void) {
        team.run(threads: threads, body)
    }

    func probe(producers: Int = 0, _ label: String = "observer") -> Probe {
        Probe(producers: producers, label: label, violations: violations)
    }

    func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
        if !holds { violations.record(.outcome, message()) }
    }

    /// Waits for a condition that another thread is about to establish. Reports a timeout.
    @discardableResult
    func settle(_ what: @autoclosure () -> String, seconds: Double = 10, until holds: () -> Bool) -> Bool {
        let settled = Patience.wait(seconds: seconds, until: holds)
        if !settled { violations.record(.stall, "\(what()) did not happen in \(Int(seconds)) s") }
        return settled
    }
}

enum Patience {
    static func wait(seconds: Double, until holds: () -> Bool) -> Bool {
        if holds() { return true }
        let start = Clock.now()
        var pause: UInt32 = 20
        while Clock.seconds(since: start) < seconds {
            usleep(pause)
            if holds() { return true }
            pause = min(pause * 2, 2_000)
        }
        return false
    }
}
