import Dispatch
import RxSwift

/// A kind of pipeline with sources that can pause.
struct FlowShape: Sendable {
    let name: String
    let producers: Int
    /// The divisor of the number of events, above 1 for shapes that wait for timers.
    let weight: Int
    /// The maximum number of elements in progress if each boundary has this bound.
    let limit: @Sendable (_ bound: Int) -> Int
    let make: @Sendable (inout FlowSources) -> Observable<Item>

    init(
        _ name: String, producers: Int = 1, weight: Int = 1, limit: @escaping @Sendable (_ bound: Int) -> Int,
        make: @escaping @Sendable (inout FlowSources) -> Observable<Item>
    ) {
        self.name = name
        self.producers = producers
        self.weight = weight
        self.limit = limit
        self.make = make
    }
}

struct FlowSources {
    let events: Int
    let depth: BoundCheck
    let lifetimes: Lifetimes
    let violations: Violations
    let schedulers: [Schedulers]
    var random: SplitMix64

    mutating func scheduler() -> any Sendable & SchedulerType {
        schedulers[random.below(schedulers.count)].any(&random)
    }

    func item(_ producer: Int, _ number: Int) -> Item {
        depth.push()
        return Item(producer, number, life: number % 8 == 0 ? lifetimes.make() : nil)
    }

    func numbers(_ producer: Int) -> Observable<Item> {
        numbers(producer, 0..<events)
    }

    func numbers(_ producer: Int, _ range: Range<Int>) -> Observable<Item> {
        Observable.range(start: range.lowerBound, count: range.count).map { [self] in item(producer, $0) }
    }

    func sender(_ producers: Range<Int>) -> Observable<Item> {
        .create { [self] (observer: AnyObserver<Item>) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for producer in producers {
                    group.addTask {
                        for number in 0..<events { try await observer.send(item(producer, number)) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    func reader(_ producer: Int) -> Observable<Item> {
        .create(flow: { [self] observer in
            let reader = FlowReader(observer, events) { item(producer, $0) }
            observer.onResume { reader.go() }
            reader.go()
            return Disposables.create()
        })
    }
}

/// Sends elements while the observer has room. Guards: `next` is protected by its lock. ``FlowObserver`` ensures that
/// one thread at a time runs `go`.
private final class FlowReader: Sendable {
    private let observer: FlowObserver<Item>
    private let events: Int
    private let make: @Sendable (Int) -> Item
    private let next = Locked(0)

    init(_ observer: FlowObserver<Item>, _ events: Int, _ make: @escaping @Sendable (Int) -> Item) {
        self.observer = observer
        self.events = events
        self.make = make
    }

    func go() {
        while observer.isOpen {
            let number = next.withLock { next in
                defer { next += 1 }
                return next
            }
            if number >= events { return observer.onCompleted() }
            observer.onNext(make(number))
        }
    }
}

extension FlowShape {
    /// The number of elements that may wait before the boundary, at the gate of an operator with concurrent sources
    /// (see ``BoundCheck``).
    private static let atGates = 2_048

    static let linear: [FlowShape] = [
        FlowShape("one scheduler boundary", limit: { $0 }) { $0.numbers(0).observe(on: $0.scheduler()) },
        FlowShape("two scheduler boundaries", limit: { 2 * $0 }) {
            $0.numbers(0).observe(on: $0.scheduler()).map { $0 }.observe(on: $0.scheduler())
        },
        FlowShape("three scheduler boundaries", limit: { 3 * $0 }) {
            $0.numbers(0).observe(on: $0.scheduler()).observe(on: $0.scheduler()).observe(on: $0.scheduler())
        },
        FlowShape("subscribe(on:)", limit: { $0 }) {
            $0.numbers(0).subscribe(on: $0.scheduler()).observe(on: $0.scheduler())
        },
        FlowShape("delay", weight: 8, limit: { 2 * $0 + 1 }) {
            $0.numbers(0).delay(.microseconds(20), scheduler: $0.scheduler()).observe(on: $0.scheduler())
        },
    ]

    static let junctions: [FlowShape] = [
        FlowShape("merge", producers: 3, limit: { $0 + atGates }) { sources in
            Observable.merge((0..<3).map { sources.numbers($0) }).observe(on: sources.scheduler())
        },
        FlowShape("merge of scheduler boundaries", producers: 3, limit: { 4 * $0 + atGates }) { sources in
            Observable.merge((0..<3).map { sources.numbers($0).observe(on: sources.scheduler()) })
                .observe(on: sources.scheduler())
        },
        FlowShape("merge of merges", producers: 4, limit: { 4 * $0 + 3 * atGates }) { sources in
            let one = Observable.merge(sources.numbers(0), sources.numbers(1).observe(on: sources.scheduler()))
            let two = Observable.merge(sources.numbers(2), sources.numbers(3).observe(on: sources.scheduler()))
            return Observable.merge(one, two).observe(on: sources.scheduler())
        },
        FlowShape("flatMap", producers: 8, limit: { 9 * $0 + atGates }) { sources in
            let schedulers = (0..<8).map { _ in sources.scheduler() }
            return Observable.range(start: 0, count: 8)
                .flatMap { [sources] in sources.numbers($0).observe(on: schedulers[$0]) }
                .observe(on: sources.scheduler())
        },
        // The outer source sends during a pause. New inner sources are then paused from the start.
        FlowShape("flatMap of a deaf source", producers: 8, limit: { $0 + atGates }) { sources in
            Observable<Int>.create { observer in
                for producer in 0..<8 { observer.onNext(producer) }
                observer.onCompleted()
                return Disposables.create()
            }
            .subscribe(on: sources.scheduler())
            .flatMap { [sources] in sources.numbers($0) }
            .observe(on: sources.scheduler())
        },
        FlowShape("concatMap", limit: { 2 * $0 + atGates }) { sources in
            let (pieces, scheduler) = (max(1, sources.events / 100), sources.scheduler())
            return Observable.range(start: 0, count: pieces)
                .concatMap { [sources] piece in
                    let end = piece == pieces - 1 ? sources.events : (piece + 1) * 100
                    return sources.numbers(0, (piece * 100)..<end).observe(on: scheduler)
                }
                .observe(on: sources.scheduler())
        },
        FlowShape("merge(maxConcurrent:)", producers: 8, limit: { 4 * $0 + atGates }) { sources in
            let schedulers = (0..<8).map { _ in sources.scheduler() }
            return Observable.range(start: 0, count: 8)
                .map { [sources] in sources.numbers($0).observe(on: schedulers[$0]) }
                .merge(maxConcurrent: 3)
                .observe(on: sources.scheduler())
        },
        FlowShape("zip", limit: { 3 * $0 + atGates }) { sources in
            let violations = sources.violations
            let counted = sources.numbers(0), other = Observable.range(start: 0, count: sources.events)
            let isSchedulerBoundary = sources.random.oneIn(2), scheduler = sources.scheduler()
            return Observable.zip(
                isSchedulerBoundary ? counted.observe(on: scheduler) : counted.subscribe(on: scheduler),
                isSchedulerBoundary ? other.subscribe(on: sources.scheduler()) : other.observe(on: sources.scheduler())
            ) { item, number in
                if item.number != number { violations.record(.outcome, "zip joined \(item.number) and \(number)") }
                return item
            }
            .observe(on: sources.scheduler())
        },
        // A pause does not stop elements that a source sends before its `subscribe` returns.
        FlowShape("concat of sources that send at once", limit: { $0 + atGates }) { sources in
            Observable.concat(
                (0..<sources.events).lazy.map { [sources] number in
                    Observable.just(number).map { sources.item(0, $0) }
                }
            )
            .observe(on: sources.scheduler())
        },
        FlowShape("catch", limit: { $0 + 2 }) { sources in
            let half = sources.events / 2
            return Observable.concat(
                sources.numbers(0, 0..<half),
                Observable.error(Failure()).catch { [sources] _ in sources.numbers(0, half..<sources.events) }
            )
            .observe(on: sources.scheduler())
        },
    ]

    static let async: [FlowShape] = [
        FlowShape("send", limit: { $0 + 2 }) { $0.sender(0..<1).observe(on: $0.scheduler()) },
        FlowShape("send by four tasks", producers: 4, limit: { $0 + atGates }) {
            $0.sender(0..<4).observe(on: $0.scheduler())
        },
        FlowShape("send, merged", producers: 2, limit: { $0 + atGates }) { sources in
            Observable.merge(sources.sender(0..<1), sources.sender(1..<2))
                .observe(on: sources.scheduler())
        },
        FlowShape("callbacks", limit: { $0 + 2 }) { $0.reader(0).observe(on: $0.scheduler()) },
    ]

    static let all = linear + junctions + async
}
