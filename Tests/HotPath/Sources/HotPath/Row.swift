import CCounters
import RxSwift

/// What receives the events of a row.
final class Tally {
    // Plain, so that what is counted is the library's and not the closure's own.
    @exclusivity(unchecked)
    var sum = 0
    @exclusivity(unchecked)
    var events = 0

    func add(_ element: Int) {
        sum &+= element
        events += 1
    }
}

/// A chain, and what pushes a number of events into it.
struct Row {
    let name: String
    /// How many allocations an event may cost: what is kept, or delivered as one of several, has memory of its own.
    let allocations: Int
    /// Builds the chain, which ends in the tally.
    let make: (Tally) -> (_ count: Int) -> Void

    init(_ name: String, allocations: Int = 0, _ make: @escaping (Tally) -> (_ count: Int) -> Void) {
        self.name = name
        self.allocations = allocations
        self.make = make
    }

    /// A chain below a subject, which gets the numbers from 0 on.
    static func below(
        _ name: String, allocations: Int = 0, _ build: @escaping (Observable<Int>) -> Observable<Int>
    ) -> Row {
        Row(name, allocations: allocations) { tally in
            let subject = PublishSubject<Int>()
            _ = build(subject).subscribe(onNext: { tally.add($0) })
            return { count in for number in 0..<count { subject.onNext(number) } }
        }
    }

    /// A cold source of that many elements, made and subscribed anew each time: what that costs is the same each time.
    static func cold(_ name: String, _ build: @escaping (_ count: Int) -> Observable<Int>) -> Row {
        Row(name) { tally in { count in _ = build(count).subscribe(onNext: { tally.add($0) }) } }
    }

    /// What `count` events more cost than `count` do, once the chain is warm.
    func measure(_ count: Int) -> Result {
        let tally = Tally()
        let push = make(tally)
        push(count)
        func run(_ count: Int) -> (counters, Int) {
            let (before, events) = (counters_now(), tally.events)
            push(count)
            return (counters_now() - before, tally.events - events)
        }
        let (one, some) = run(count)
        let (two, more) = run(2 * count)
        return Result(name: name, allocations: allocations, counters: two - one, events: more - some)
    }
}

struct Result {
    let name: String
    /// How many an event may cost.
    let allocations: Int
    let counters: counters
    let events: Int

    var columns: [Int] { [counters.allocations, counters.metadata, counters.accesses, counters.mutexes] }
    /// A row that delivers nothing proves nothing.
    var isFree: Bool {
        events > 0 && counters.allocations <= allocations * events && columns.dropFirst().allSatisfy { $0 == 0 }
    }
}

func - (left: counters, right: counters) -> counters {
    counters(
        allocations: left.allocations - right.allocations, metadata: left.metadata - right.metadata,
        accesses: left.accesses - right.accesses, mutexes: left.mutexes - right.mutexes)
}
