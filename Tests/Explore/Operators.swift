import CRxCore
import RxOperators
import RxRelay
import RxSwift
import RxSwiftExt
import RxTest

/// An operator, or a chain of operators, on one or two sequences of numbers.
struct Operators {
    var needsOther = false
    var endsEarly = false
    /// Whether a subscription or an element causes subscriptions to several sources, one after the other. Other events
    /// may come in between.
    var isCompound = false
    /// Whether all subscriptions to the result share one subscription to the source.
    var shares = false
    var flattens = false
    /// Whether the operator disposes of a source before it delivers an element, or before it subscribes to the next
    /// source. Other events may come in between.
    var disposesFirst = false
    /// Whether the operator has no gate and subscribes to each source only after the previous one has ended.
    var isSerial = false
    /// Whether an even element selects the stage's other source as its inner sequence, and an odd element subject 2.
    var alternates = false
    var takesOne = false
    /// Whether the operator delivers on another thread, in the same order. It is then the last operator of a program.
    var hops = false
    /// If `hops` is set, the name of the operator that gives the same result on one thread.
    var plain = "same"
    /// Whether an error of the source drops waiting elements.
    var dropsAtFailure = false
    /// Whether random programs omit the operator.
    var isRecordedOnly = false
    /// Applies the operator to two sources. Its closures call `called`.
    let apply: (Observable<Int>, Observable<Int>, _ called: @escaping @Sendable (Int) -> Void) -> Observable<Int>

    static let kinds = ["publish", "behavior", "replay", "relay"]

    // nonisolated(unsafe) because the closures capture nothing.
    nonisolated(unsafe) static let table: [String: Operators] = [
        "map": Operators { source, _, called in
            source.map {
                called($0)
                return $0 + 1000
            }
        },
        "filter": Operators { source, _, called in
            source.filter {
                called($0)
                return $0 % 4 != 0
            }
        },
        "scan": Operators { source, _, called in
            source.scan(0) {
                called($1)
                return $0 * 10 + $1
            }
        },
        "distinct": Operators { source, _, _ in source.distinctUntilChanged() },
        "skip": Operators { source, _, _ in source.skip(1) },
        "take": Operators(endsEarly: true) { source, _, _ in source.take(2) },
        "enumerated": Operators { source, _, _ in
            source.enumerated().map { $0.index * 100_000 + $0.element }
        },
        "pairwise": Operators { source, _, _ in source.pairwise().map { $0 * 100 + $1 } },
        "bufferCount": Operators { source, _, _ in
            source.scan([]) { $0.count == 2 ? [$1] : $0 + [$1] }.filter { $0.count == 2 }.map {
                $0[0] * 100 + $0[1]
            }
        },
        "materialize": Operators { source, _, _ in
            source.materialize().map { $0.element ?? -1 }
        },
        "retry": Operators(isCompound: true) { source, _, _ in source.retry(2) },
        "merge": Operators(needsOther: true, isCompound: true) { source, other, _ in
            Observable.merge(source, other)
        },
        "create": Operators(needsOther: true, endsEarly: true, isCompound: true) { source, other, called in
            .create { observer in
                let counted = source.map {
                    called($0)
                    return $0
                }
                return Disposables.create(counted.subscribe(observer), other.subscribe(observer))
            }
        },
        "merge1": Operators(needsOther: true, isCompound: true) { source, other, _ in
            Observable.of(source, other).merge(maxConcurrent: 1)
        },
        "concat": Operators(needsOther: true, isCompound: true, isSerial: true) { source, other, _ in
            source.concat(other)
        },
        "catch": Operators(needsOther: true, isCompound: true, isSerial: true) { source, other, _ in
            source.catch { _ in other }
        },
        "ifEmpty": Operators(needsOther: true, isCompound: true, isSerial: true) { source, other, _ in
            source.ifEmpty(switchTo: other)
        },
        "zip": Operators(needsOther: true, endsEarly: true, isCompound: true) { source, other, called in
            Observable.zip(source, other) {
                called($0)
                return $0 * 1000 + $1
            }
        },
        "combine": Operators(needsOther: true, isCompound: true) { source, other, called in
            Observable.combineLatest(source, other) {
                called($0)
                return $0 * 1000 + $1
            }
        },
        "withLatest": Operators(needsOther: true, isCompound: true) { source, other, called in
            source.withLatestFrom(other) {
                called($0)
                return $0 * 1000 + $1
            }
        },
        "sample": Operators(needsOther: true, isCompound: true) { source, other, _ in
            source.sample(other)
        },
        "takeUntil": Operators(needsOther: true, endsEarly: true, isCompound: true) {
            source, other, _ in
            source.take(until: other)
        },
        "skipUntil": Operators(needsOther: true, isCompound: true) { source, other, _ in
            source.skip(until: other)
        },
        "amb": Operators(needsOther: true, endsEarly: true, isCompound: true, disposesFirst: true) {
            source, other, _ in
            source.amb(other)
        },
        "flatMap": Operators(needsOther: true, isCompound: true, flattens: true) {
            source, other, called in
            source.flatMap { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "flatMapBoth": Operators(needsOther: true, isCompound: true, flattens: true, alternates: true) {
            source, other, called in
            source.flatMap { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "flatMapOne": Operators(needsOther: true, isCompound: true, flattens: true, takesOne: true) {
            source, other, called in
            source.flatMap { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "flatMapLatest": Operators(needsOther: true, isCompound: true, flattens: true, disposesFirst: true) {
            source, other, called in
            source.flatMapLatest { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "flatMapLatestBoth": Operators(
            needsOther: true, isCompound: true, flattens: true, disposesFirst: true, alternates: true
        ) { source, other, called in
            source.flatMapLatest { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "flatMapLatestStart": Operators(needsOther: true, isCompound: true, flattens: true, disposesFirst: true) {
            source, other, called in
            source.flatMapLatest { element in
                called(element)
                return other.map { element * 1000 + $0 }.startWith(element * 1000)
            }
        },
        "flatMapFirst": Operators(needsOther: true, isCompound: true, flattens: true, takesOne: true) {
            source, other, called in
            source.flatMapFirst { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "concatMap": Operators(needsOther: true, isCompound: true, flattens: true, takesOne: true) {
            source, other, called in
            source.concatMap { element in
                called(element)
                return other.map { element * 1000 + $0 }
            }
        },
        "switchJust": Operators { source, _, called in
            source.flatMapLatest { element in
                called(element)
                return Observable.just(element)
            }
        },
        "groupBy": Operators(isCompound: true) { source, _, called in
            source.groupBy {
                called($0)
                return $0 % 2
            }.flatMap { group in group.map { $0 + group.key * 100_000 } }
        },
        "groupByOne": Operators(isCompound: true) { source, _, called in
            source.groupBy {
                called($0)
                return $0 % 2
            }.flatMap { group in group.take(1).map { $0 + group.key * 100_000 } }
        },
        "share": Operators(isCompound: true, shares: true) { source, _, _ in source.share() },
        "shareReplay": Operators(isCompound: true, shares: true) { source, _, _ in
            source.share(replay: 1)
        },
        "shareForever": Operators(isCompound: true, shares: true) { source, _, _ in
            source.share(replay: 1, scope: .forever)
        },
        "refCount": Operators(isCompound: true, shares: true) { source, _, _ in
            source.publish().refCount()
        },
        "refCountAfter": Operators(isCompound: true, shares: true) { source, _, _ in
            source.publish().refCount(after: 1)
        },
        // The clock stands still, so the grace period never ends. Its timer retains the chain.
        "refCountGrace": Operators(isCompound: true, shares: true, isRecordedOnly: true) { source, _, _ in
            source.publish().refCount(disconnectAfter: .seconds(1), scheduler: TestScheduler(initialClock: 0))
        },
        "multicast": Operators(isCompound: true, shares: true) { source, _, _ in
            source.multicast(PublishSubject()).refCount()
        },
        "publish": Operators(isCompound: true, shares: true) { source, _, _ in source.publish() },
        "hop": Operators(hops: true) { source, _, _ in
            source.observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "hop"))
        },
        "hopConcurrent": Operators(hops: true) { source, _, _ in
            source.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        },
        "hopThread": Operators(hops: true) { source, _, _ in source.observe(on: PthreadScheduler(name: "hop")) },
        "hopPool": Operators(hops: true) { source, _, _ in
            source.observe(on: PthreadPoolScheduler(name: "hop", maxThreads: 2))
        },
        "hopActor": Operators(hops: true) { source, _, _ in
            // The scheduler does not retain its actor.
            let actor = ExploredActor()
            return source.observe(on: ActorScheduler(actor)).do(onDispose: { _ = actor })
        },
        "hopWork": Operators(hops: true, plain: "sameUntilError", dropsAtFailure: true) { source, _, _ in
            source.concatMapAsync { element -> Int in element }
        },
        // Random programs omit this operator, because Swift may hold a task's lock at a control point while it frees
        // the stream.
        "hopValues": Operators(hops: true, isRecordedOnly: true) { source, _, _ in
            .deferred {
                let values = source.values
                return Observable.create { observer in
                    for try await element in values { observer.onNext(element) }
                }
            }
        },
        // Each element becomes a loop that pauses while the hop has no room. The subject ignores the pauses.
        "hopPausing": Operators(hops: true, plain: "bursts", dropsAtFailure: true) { source, _, _ in
            Observable.create(flow: { source.subscribe($0) }).concatMap(burst)
                .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "pausing"), buffering: .pausing(2))
        },
        "delay": Operators(hops: true, plain: "sameUntilError", dropsAtFailure: true) { source, _, _ in
            source.delay(.milliseconds(1), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "delay"))
        },
        "delayConcurrent": Operators(hops: true, plain: "sameUntilError", dropsAtFailure: true) { source, _, _ in
            source.delay(.milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
        },
        // The delay pauses each element's loop, and the hop pauses the delay.
        "delayPausing": Operators(hops: true, plain: "bursts", dropsAtFailure: true) { source, _, _ in
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "delay")
            return Observable.create(flow: { source.subscribe($0) })
                .concatMap { burst($0).delay(.milliseconds(1), scheduler: scheduler).bounded(2) }
                .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "pausing"), buffering: .pausing(2))
        },
    ]

    @Sendable static func burst(_ element: Int) -> Observable<Int> {
        .from([element * 10, element * 10 + 1, element * 10 + 2])
    }

    /// The operators of random programs, except those that change threads.
    nonisolated(unsafe) static let inner = usual.filter { !$0.value.hops }.sorted { $0.key < $1.key }
    static let hops = usual.filter { $0.value.hops }.keys.sorted()
    private static var usual: [String: Operators] { table.filter { !$0.value.isRecordedOnly } }
}

struct Hot {
    let sequence: Observable<Int>
    let send: (Event<Int>) -> Void
    let hasObservers: () -> Bool

    init(_ kind: String) {
        switch kind {
        case "behavior":
            let subject = BehaviorSubject(value: 0)
            (sequence, send, hasObservers) = (subject, { subject.on($0) }, { subject.hasObservers })
        case "replay":
            let subject = ReplaySubject<Int>.create(bufferSize: 1)
            (sequence, send, hasObservers) = (subject, { subject.on($0) }, { subject.hasObservers })
        case "relay":
            let relay = BehaviorRelay(value: 0)
            let send: (Event<Int>) -> Void = { if case .next(let element) = $0 { relay.accept(element) } }
            (sequence, self.send, hasObservers) = (relay.asObservable(), send, { false })
        default:
            let subject = PublishSubject<Int>()
            (sequence, send, hasObservers) = (subject, { subject.on($0) }, { subject.hasObservers })
        }
    }
}
