import Dispatch
import RxSwift

/// A random graph of operators over subjects. Several nodes may use the same earlier node.
struct Graph: Sendable {
    struct Node: Sendable {
        let source: Observable<Item>
        let name: String
        /// The maximum number of subscriptions to subjects that one subscription makes.
        let size: Int
        /// Whether a subscription makes another subscription for each element. Such nodes must not be nested, because
        /// their subscriptions would take most of the round's time.
        var multiplies = false
    }

    let roots: [PublishSubject<Item>]
    private(set) var nodes: [Node]

    init(_ random: inout SplitMix64, _ schedulers: Schedulers) {
        roots = (0..<3).map { _ in PublishSubject() }
        nodes = roots.map { Node(source: $0.asObservable(), name: "subject", size: 1) }
        for _ in 0..<(4 + random.below(9)) {
            let one = random.below(nodes.count), other = random.below(nodes.count)
            switch random.below(5) {
            case 0, 1: addJunction(one, other, random.below(16))
            case 2: addShared(one, random.below(5))
            case 3: addTimed(one, random.below(7), schedulers.any(&random))
            default: addLinear(one, random.below(10))
            }
        }
    }

    private mutating func add(_ source: Observable<Item>, _ name: String, _ size: Int, multiplies: Bool) {
        // If the size doubled with each node, the graph would take most of the round's time.
        guard size <= 24 else { return }
        nodes.append(Node(source: source, name: name, size: size, multiplies: multiplies))
    }

    private mutating func add(_ source: Observable<Item>, _ name: String, on one: Int) {
        add(source, "\(name)(\(one))", nodes[one].size, multiplies: nodes[one].multiplies)
    }

    private mutating func addLinear(_ one: Int, _ choice: Int) {
        let source = nodes[one].source
        let (made, name) =
            switch choice {
            case 0: (source.map { $0 }.filter { $0.number % 5 != 0 }, "map.filter")
            case 1: (source.scan(Item(0, 0)) { $1 }, "scan")
            case 2: (source.take(20), "take")
            case 3: (source.skip(3), "skip")
            case 4: (source.distinctUntilChanged { $0.producer }, "distinctUntilChanged")
            case 5: (source.startWith(Item(0, 0)), "startWith")
            case 6: (source.materialize().dematerialize(), "dematerialize")
            case 7: (source.takeLast(2), "takeLast")
            case 8: (source.groupBy { $0.number % 3 }.flatMap { $0 }, "groupBy")
            default: (source.toArray().asObservable().compactMap(\.last), "toArray")
            }
        add(made, name, on: one)
    }

    private mutating func addJunction(_ one: Int, _ other: Int, _ choice: Int) {
        let source = nodes[one].source, second = nodes[other].source
        // Many inner subscriptions may exist at once, and some never end. So only small nodes are used.
        let isInner = nodes[other].size <= 3 && !nodes[other].multiplies
        let inner = isInner ? second.take(2) : Observable.just(Item(0, 0))
        let (made, name) =
            switch choice {
            case 0: (Observable.merge(source, second), "merge")
            case 1: (Observable.combineLatest(source, second) { $1 }, "combineLatest")
            case 2: (Observable.zip(source, second) { $1 }, "zip")
            case 3: (source.withLatestFrom(second), "withLatestFrom")
            case 4: (source.amb(second), "amb")
            case 5: (source.take(30).concat(second), "concat")
            case 6: (source.sample(second), "sample")
            case 7: (source.take(until: second.skip(50)), "takeUntil")
            case 8: (source.skip(until: second), "skipUntil")
            case 9: (source.catch { _ in second }, "catch")
            case 10: (source.ifEmpty(switchTo: second), "ifEmpty")
            case 11: (source.flatMap { _ in inner }, "flatMap")
            case 12: (source.flatMapFirst { _ in inner }, "flatMapFirst")
            case 13: (source.flatMapLatest { _ in inner }, "flatMapLatest")
            case 14: (source.concatMap { _ in inner }, "concatMap")
            default: (source.map { _ in inner }.merge(maxConcurrent: 2), "merge(maxConcurrent:)")
            }
        add(
            made, "\(name)(\(one), \(other))", nodes[one].size + nodes[other].size,
            multiplies: choice >= 11 || nodes[one].multiplies || nodes[other].multiplies)
    }

    private mutating func addShared(_ one: Int, _ choice: Int) {
        let source = nodes[one].source
        let (made, name) =
            switch choice {
            case 0: (source.share(), "share")
            case 1: (source.share(replay: 2), "share(replay:)")
            case 2: (source.share(replay: 1, scope: .forever), "share(replay:scope:)")
            case 3: (source.publish().refCount(), "refCount")
            default:
                (source.multicast({ PublishSubject() }) { Observable.merge($0, $0.skip(1)) }, "multicast")
            }
        add(made, name, on: one)
    }

    private mutating func addTimed(_ one: Int, _ choice: Int, _ scheduler: any Sendable & SchedulerType) {
        let source = nodes[one].source, span = RxTimeInterval.microseconds(200)
        let (made, name) =
            switch choice {
            case 0: (source.observe(on: scheduler), "observe(on:)")
            case 1: (source.subscribe(on: scheduler), "subscribe(on:)")
            case 2: (source.delay(span, scheduler: scheduler), "delay")
            case 3: (source.debounce(span, scheduler: scheduler), "debounce")
            case 4: (source.throttle(span, scheduler: scheduler), "throttle")
            case 5: (source.timeout(.milliseconds(5), scheduler: scheduler), "timeout")
            default: (source.buffer(timeSpan: span, count: 4, scheduler: scheduler).compactMap(\.last), "buffer")
            }
        add(made, name, on: one)
    }
}
