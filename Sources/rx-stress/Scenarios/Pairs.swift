/// The team in twos: races that only two threads can run, several of them side by side.
struct Pairs: Sendable {
    private let pairs: [Pair]

    init(_ round: Round) {
        pairs = (0..<(round.threads / 2)).map { _ in Pair() }
    }

    /// The odd one out has nothing to do.
    func run(_ worker: Worker, _ body: (_ pair: Pair, _ isFirst: Bool) -> Void) {
        guard worker.index / 2 < pairs.count else { return }
        body(pairs[worker.index / 2], worker.index % 2 == 0)
    }
}

/// Two threads that meet again and again.
final class Pair: Sendable {
    private let lineup = Lineup(threads: 2)
    private let slot = Locked<(any Sendable)?>(nil)

    func meet() {
        lineup.wait()
    }

    /// The first makes it, both leave with it at the same moment. Before the next exchange they have to meet.
    func exchange<Value: Sendable>(_ isFirst: Bool, _ make: () -> Value) -> Value {
        if isFirst {
            let value = make()
            slot.withLock { $0 = value }
            lineup.wait()
            return value
        }
        lineup.wait()
        let value = slot.withLock { slot in
            defer { slot = nil }
            return slot as? Value
        }
        guard let value else { fatalError("rx-stress: a pair out of step") }
        return value
    }
}
