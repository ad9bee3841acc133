import Glibc
import Histogram
import Synchronization

/// One thread of the team.
///
/// During a job, only this thread uses `random` and `latencies`. Between jobs, only the thread that calls `Team.run`
/// uses them. The counters may be read at any time.
final class Worker: @unchecked Sendable {  // because `Team.run` synchronises with the thread
    let index: Int
    var random = SplitMix64(seed: 0)
    private(set) var latencies = Latencies()
    let counts = Counts()

    init(index: Int) {
        self.index = index
    }

    /// Reading the clock costs as much as a short operation, so one operation in eight is timed.
    func operation(events: Int = 0, subscriptions: Int = 0, _ body: () -> Void) {
        let number = counts.add(operations: 1, events: events, subscriptions: subscriptions)
        guard number & 7 == 0 else { return body() }
        let start = Clock.now()
        body()
        latencies.record(Clock.now() &- start)
    }

    func push(_ body: () -> Void) {
        operation(events: 1, body)
    }

    func subscribe(_ body: () -> Void) {
        operation(subscriptions: 1, body)
    }

    /// Waits for a short random time, so that the threads are at different places in the code.
    func linger(_ most: Int = 200) {
        if random.oneIn(16) { sched_yield() }
        for _ in 0..<random.below(most) { _ = counts.totals }
    }

    func takeLatencies(into sum: inout Latencies) {
        guard latencies.totalCount > 0 else { return }
        sum.add(latencies)
        latencies.reset()
    }
}

/// Durations with two significant digits, up to a minute. The stall check covers longer operations.
typealias Latencies = Histogram<UInt32>

extension Histogram<UInt32> {
    init() {
        self.init(
            lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .two)
    }
}

final class Counts: Sendable {
    private let operations = Atomic<Int>(0)
    private let events = Atomic<Int>(0)
    private let subscriptions = Atomic<Int>(0)

    @discardableResult
    func add(operations more: Int, events moreEvents: Int = 0, subscriptions moreSubscriptions: Int = 0) -> Int {
        // There is one writer, so a load and a store suffice. A read-modify-write operation could hide missing ordering
        // from a sanitizer.
        let total = operations.load(ordering: .relaxed) + more
        operations.store(total, ordering: .relaxed)
        if moreEvents != 0 { events.store(events.load(ordering: .relaxed) + moreEvents, ordering: .relaxed) }
        if moreSubscriptions != 0 {
            subscriptions.store(subscriptions.load(ordering: .relaxed) + moreSubscriptions, ordering: .relaxed)
        }
        return total
    }

    var totals: Totals {
        Totals(
            operations: operations.load(ordering: .relaxed), events: events.load(ordering: .relaxed),
            subscriptions: subscriptions.load(ordering: .relaxed))
    }
}

struct Totals: Sendable, Equatable {
    var operations = 0
    var events = 0
    var subscriptions = 0

    static func + (left: Totals, right: Totals) -> Totals {
        Totals(
            operations: left.operations + right.operations, events: left.events + right.events,
            subscriptions: left.subscriptions + right.subscriptions)
    }

    static func - (left: Totals, right: Totals) -> Totals {
        Totals(
            operations: left.operations - right.operations, events: left.events - right.events,
            subscriptions: left.subscriptions - right.subscriptions)
    }
}

final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    @discardableResult
    func add(_ more: Int = 1) -> Int {
        count.add(more, ordering: .relaxed).oldValue
    }

    var value: Int { count.load(ordering: .relaxed) }
}
