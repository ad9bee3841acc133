import CCounters
import RxSwift

final class Tally {
    // Neither number is atomic or has a lock, so that only the library's calls are counted.
    @exclusivity(unchecked)
    var sum = 0
    @exclusivity(unchecked)
    var events = 0

    func add(_ element: Int) {
        sum &+= element
        events += 1
    }
}

struct Row {
    let name: String
    /// Allowed allocations, metadata requests and exclusivity checks per event or, if `countsRounds` is set, per round.
    /// An operator may allocate to store an element, or to deliver several elements at once.
    let allowed: [Int]
    /// Allowed retains per event. If `allowed` is not empty, retains are not checked. Elements of a class are retained.
    /// So is an object that the program may release while a method of the object runs.
    let references: Int
    /// Whether `allowed` counts per round of the pushing function, not per event.
    let countsRounds: Bool
    /// Builds the chain that ends in the tally, and returns the pushing function.
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

    /// A chain below a subject. The subject receives the numbers from 0.
    static func below(
        _ name: String, allowed: Int..., references: Int = 0, build: @escaping (Observable<Int>) -> Observable<Int>
    ) -> Row {
        Row(name, allowed: allowed, references: references) { tally in
            let subject = PublishSubject<Int>()
            _ = build(subject).subscribe(onNext: { tally.add($0) })
            return { count in for number in 0..<count { subject.onNext(number) } }
        }
    }

    /// A cold source of `count` elements. The cost of making it and subscribing does not depend on `count`. So the
    /// difference of two runs does not contain this cost.
    static func cold(_ name: String, _ build: @escaping (_ count: Int) -> Observable<Int>) -> Row {
        Row(name) { tally in { count in _ = build(count).subscribe(onNext: { tally.add($0) }) } }
    }

    /// In each round, `body` subscribes and passes each element to `next`. `allowed` is the cost of one round.
    static func each(
        _ name: String, _ allowed: Int..., body: @escaping (_ next: @escaping (Int) -> Void) -> Void
    ) -> Row {
        Row("a subscription: \(name)", allowed: allowed, countsRounds: true) { tally in
            { count in for _ in 0..<count { body { tally.add($0) } } }
        }
    }

    /// The additional cost of `count` events after the chain is warm.
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
    /// The allowed counts, in the order of `columns`. A missing number is 0.
    let allowed: [Int]
    /// The allowed retains per event; nil without a limit.
    let references: Int?
    let counters: counters
    let units: Int

    var columns: [Int] {
        [counters.allocations, counters.metadata, counters.accesses, counters.mutexes, counters.references]
    }
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
