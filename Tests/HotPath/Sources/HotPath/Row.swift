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
    /// How many allocations, requests for metadata and exclusivity checks a unit may cost: what is kept, or delivered
    /// as one of several, has memory of its own.
    let allowed: [Int]
    /// How many references may be counted for an event: where it is one itself, or where the program may meanwhile let
    /// go what it is handed to. Where something is subscribed to or kept for it there is no limit.
    let references: Int
    /// Whether a unit is what `make`'s closure is called for, and not an event.
    let countsRounds: Bool
    /// Builds the chain, which ends in the tally.
    let make: (Tally) -> (_ count: Int) -> Void

    init(
        _ name: String, allowed: [Int] = [], references: Int = 0, countsRounds: Bool = false,
        _ make: @escaping (Tally) -> (_ count: Int) -> Void
    ) {
        self.name = name
        self.allowed = allowed
        self.references = references
        self.countsRounds = countsRounds
        self.make = make
    }

    /// A chain below a subject, which gets the numbers from 0 on.
    static func below(
        _ name: String, allowed: Int..., references: Int = 0, build: @escaping (Observable<Int>) -> Observable<Int>
    ) -> Row {
        Row(name, allowed: allowed, references: references) { tally in
            let subject = PublishSubject<Int>()
            _ = build(subject).subscribe(onNext: { tally.add($0) })
            return { count in for number in 0..<count { subject.onNext(number) } }
        }
    }

    /// A cold source of that many elements, made and subscribed anew each time: what that costs is the same each time.
    static func cold(_ name: String, _ build: @escaping (_ count: Int) -> Observable<Int>) -> Row {
        Row(name) { tally in { count in _ = build(count).subscribe(onNext: { tally.add($0) }) } }
    }

    /// Calls the body so many times; it subscribes, and hands on what comes. The numbers are what one call may cost.
    static func each(
        _ name: String, _ allowed: Int..., body: @escaping (_ next: @escaping (Int) -> Void) -> Void
    ) -> Row {
        Row("a subscription: \(name)", allowed: allowed, countsRounds: true) { tally in
            { count in for _ in 0..<count { body { tally.add($0) } } }
        }
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
        let events = more - some
        return Result(
            name: name, allowed: allowed, references: allowed.isEmpty ? references : nil, counters: two - one,
            units: countsRounds && events > 0 ? count : events)
    }
}

struct Result {
    let name: String
    /// What a unit may cost, of the columns from the first on.
    let allowed: [Int]
    /// How many references a unit may be counted for, if there is a limit.
    let references: Int?
    let counters: counters
    let units: Int

    var columns: [Int] {
        [counters.allocations, counters.metadata, counters.accesses, counters.mutexes, counters.references]
    }
    /// A row that delivers nothing proves nothing.
    var isFree: Bool {
        units > 0 && counters.references <= (references ?? .max / units) * units
            && columns.dropLast().enumerated().allSatisfy { $1 <= ($0 < allowed.count ? allowed[$0] : 0) * units }
    }
}

func - (left: counters, right: counters) -> counters {
    counters(
        allocations: left.allocations - right.allocations, metadata: left.metadata - right.metadata,
        accesses: left.accesses - right.accesses, mutexes: left.mutexes - right.mutexes,
        references: left.references - right.references)
}
