import Synchronization

enum Check: String, CaseIterable, Codable, Sendable {
    case serial, grammar, silence, order, count, bound, leak, memory, descriptors, stall, outcome, sanitizer

    var promise: String {
        switch self {
        case .serial: "never two threads inside one observer"
        case .grammar: "next*, then at most one end, then onDisposed, once"
        case .silence: "nothing after dispose"
        case .order: "each producer's events in its order"
        case .count: "nothing lost, nothing twice"
        case .bound: "the number of waiting events is bounded"
        case .leak: "elements and resources back to zero"
        case .memory: "resident memory flat"
        case .descriptors: "file descriptors flat"
        case .stall: "progress, no deadlock"
        case .outcome: "the result that the scenario expects"
        case .sanitizer: "no sanitizer report"
        }
    }
}

struct Violation: Codable, Sendable {
    let check: Check
    let round: Int
    let message: String
}

/// The violations of one scenario. Any thread may report one, even from inside an observer.
final class Violations: Sendable {
    private struct State {
        var round = 0
        var count = 0
        var kept: [Violation] = []
    }

    private let state = Locked(State())
    private let total = Atomic<Int>(0)
    private let tell: @Sendable (Violation) -> Void

    /// The maximum number of reported violations of each check. All are counted; there may be thousands a second.
    private static let keptPerCheck = 3

    init(tell: @escaping @Sendable (Violation) -> Void = { _ in }) {
        self.tell = tell
    }

    func begin(round: Int) {
        state.withLock { $0.round = round }
    }

    func record(_ check: Check, _ message: String) {
        total.add(1, ordering: .relaxed)
        let news: Violation? = state.withLock { state in
            state.count += 1
            guard state.kept.count(where: { $0.check == check }) < Self.keptPerCheck else { return nil }
            let violation = Violation(check: check, round: state.round, message: message)
            state.kept.append(violation)
            return violation
        }
        if let news { tell(news) }
    }

    var count: Int { total.load(ordering: .relaxed) }

    var kept: [Violation] { state.withLock { $0.kept } }
}
