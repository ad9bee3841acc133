/// Splits the team into pairs, for races between two threads.
struct Pairs: Sendable {
    private let pairs: [Pair]

    init(_ round: Round) {
        pairs = (0..<(round.threads / 2)).map { _ in Pair() }
    }

    /// Calls `body` with the worker's pair. With an odd number of threads, the last thread does nothing.
    func run(_ worker: Worker, _ body: (_ pair: Pair, _ isFirst: Bool) -> Void) {
        guard worker.index / 2 < pairs.count else { return }
        body(pairs[worker.index / 2], worker.index % 2 == 0)
    }
}

final class Pair: Sendable {
    private let lineup = Lineup(threads: 2)
    private let slot = Locked<(any Sendable)?>(nil)

    func meet() {
        lineup.wait()
    }

    /// The first thread makes a value, and both return it at the same moment. Both must call `meet` before the next
    /// exchange.
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
