import RxResilience

/// A simple circuit breaker that follows the documentation of resilience4j. It stores every call, and counts the stored
/// calls again for each decision.
///
/// - Closed: "the failure rate is equal or greater than the threshold" opens the breaker. So does such a rate of slow
///   calls. A slow call lasts longer than `slowAfter`. Rates refer to the last `size` calls, or to the calls of the
///   last ten epochs. They are checked once there are `least` calls, or the window is full.
/// - Open: all calls are rejected until `openFor` is over.
/// - Half open: `trials` calls are permitted; "further calls are rejected until all permitted calls have completed".
///   Then the rates of the permitted calls open or close the breaker. A call with the outcome `nothing` returns its
///   permission.
struct BreakerReference {
    struct Rules {
        var size: Int?
        var epoch: Int
        var least: Int
        var failureRate: Double
        var slowRate: Double
        var slowAfter: Int
        var openFor: Int
        var trials: Int
    }

    enum Outcome {
        case success, failure, nothing
    }

    private struct Ended {
        var time: Int
        var failed: Bool
        var slow: Bool
    }

    let rules: Rules
    private(set) var state = CircuitBreaker.State.closed
    private(set) var changes = 0
    private var since = 0
    private var ended: [Ended] = []
    private var underWay = 0

    init(_ rules: Rules) {
        self.rules = rules
    }

    /// Returns the value to pass to `end` as its first argument; nil if the call is rejected.
    mutating func begin(at time: Int) -> (time: Int, changes: Int)? {
        if state == .open, time - since >= rules.openFor { become(.halfOpen, time) }
        if state == .open || state == .forcedOpen { return nil }
        if state == .halfOpen {
            if underWay + ended.count == rules.trials { return nil }
            underWay += 1
        }
        return (time, changes)
    }

    mutating func end(_ call: (time: Int, changes: Int), _ outcome: Outcome, at time: Int) {
        if call.changes != changes || state == .disabled { return }
        if state == .halfOpen { underWay -= 1 }
        if outcome == .nothing { return }
        ended.append(Ended(time: time, failed: outcome == .failure, slow: time - call.time > rules.slowAfter))
        if state == .closed {
            var counted = ended
            if let size = rules.size {
                counted = Array(ended.suffix(size))
            } else {
                counted = ended.filter { time / rules.epoch - $0.time / rules.epoch < 10 }
            }
            if counted.count >= min(rules.least, rules.size ?? .max), exceeds(counted) { become(.open, time) }
        } else if ended.count == rules.trials {
            become(exceeds(ended) ? .open : .closed, time)
        }
    }

    mutating func become(_ state: CircuitBreaker.State, _ time: Int) {
        self.state = state
        changes += 1
        since = time
        ended = []
        underWay = 0
    }

    private func exceeds(_ calls: [Ended]) -> Bool {
        let count = Double(calls.count)
        return Double(calls.count { $0.failed }) / count >= rules.failureRate
            || Double(calls.count { $0.slow }) / count >= rules.slowRate
    }
}
