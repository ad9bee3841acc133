import Dispatch
import RxCocoa
import RxRelay
import RxSwift
import RxSwiftExt

let rows: [Row] =
    subjects + onMain + extensions + operators + timed + subscriptions + [
        .below("map and filter, six of each") { source in
            source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 2 }.filter { $0 >= 0 }.map { $0 &+ 3 }.filter {
                $0 >= 0
            }
            .map { $0 &+ 4 }.filter { $0 >= 0 }.map { $0 &+ 5 }.filter { $0 >= 0 }.map { $0 &+ 6 }.filter { $0 >= 0 }
        },
        .below("scan") { $0.scan(0) { $0 &+ $1 } },
        .below("scan(into:)") { $0.scan(into: 0) { $0 &+= $1 } },
        .below("distinctUntilChanged") { $0.map { $0 / 2 }.distinctUntilChanged() },
        .below("take, skip") { $0.skip(1).take(.max) },
        .below("take(while:), skip(while:)") { $0.skip(while: { $0 < 0 }).take(while: { $0 >= 0 }) },
        .below("take(until:), skip(until:)") {
            $0.take(until: Observable<Int>.never()).skip(until: Observable.just(0))
        },
        .below("lift") { $0.lift(Differences()) },
        .below("compactMap") { $0.compactMap { $0 & 1 == 0 ? $0 : nil } },
        .below("enumerated") { $0.enumerated().map { $0.index &+ $0.element } },
        .below("do") { $0.do(onNext: { _ in }, afterNext: { _ in }) },
        .below("startWith") { $0.startWith(0) },
        .below("materialize, dematerialize") { $0.materialize().dematerialize() },
        .below("zip") { Observable.zip($0, $0) { $0 &+ $1 } },
        .below("combineLatest") { Observable.combineLatest($0, $0) { $0 &+ $1 } },
        .below("withLatestFrom") { $0.withLatestFrom($0) { $0 &+ $1 } },
        .below("sample") { $0.sample($0) },
        .below("merge") { Observable.merge($0, $0, $0) },
        .below("amb") { $0.amb(Observable.never()) },
        .below("concat, the second source") { Observable.just(0).concat($0) },
        .below("catch, the second source") { source in Observable<Int>.error(RxError.unknown).catch { _ in source } },
        .below("flatMap, an inner source") { source in Observable.just(0).flatMap { _ in source } },
        .below("flatMapLatest, an inner source") { source in Observable.just(0).flatMapLatest { _ in source } },
        .below("flatMapFirst, an inner source") { source in Observable.just(0).flatMapFirst { _ in source } },
        .below("concatMap, an inner source") { source in Observable.just(0).concatMap { _ in source } },
        .below("share") { $0.share() },
        .below("share(replay: 1)") { $0.share(replay: 1) },
        .below("share(replay: 8)") { $0.share(replay: 8) },
        .below("publish, refCount") { $0.publish().refCount() },
        .below("elements of a class", references: 8) { source in
            let boxes = [Box(1), Box(2)]
            return source.map { boxes[$0 & 1] }.distinctUntilChanged { $0 === $1 }.scan(boxes[0]) { $1 }.share(
                replay: 1
            ).map { $0.value }
        },
        // `map` retains its result, and `distinctUntilChanged` retains its key and the stored value.
        .below("elements of a class that pass", references: 3) { source in
            let boxes = [Box(1), Box(2)]
            let counted = source.map { boxes[$0 & 1] }.skip(1).take(.max)
            let asked = counted.skip(while: { $0.value < 0 }).take(while: { $0.value > 0 }).filter { $0.value > 0 }
            return asked.take(until: { (box: Box) in box.value < 0 }).distinctUntilChanged { $0 === $1 }
                .ifEmpty(default: boxes[0]).checkpoint("passed").map { $0.value }
        },
        .cold("range") { Observable.range(start: 0, count: $0) },
        .cold("range, mapped") { Observable.range(start: 0, count: $0).map { $0 &+ 1 } },
        .cold("generate") { count in
            Observable.generate(initialState: 0, condition: { $0 < count }, iterate: { $0 + 1 })
        },
        .cold("from, of a range") { Observable.from(0..<$0) },
        .cold("concat of cold loops") { Observable.range(start: 0, count: $0).concat(Observable.from(0..<$0)) },
        .cold("create") { count in
            Observable.create { observer in
                for number in 0..<count { observer.onNext(number) }
                return Disposables.create()
            }
        },
    ]

private let timed: [Row] = [
    .below("buffer", allowed: 1) { $0.buffer(timeSpan: .never, count: 10, scheduler: timers).map { $0.count } },
    .below("window", references: 1) { $0.window(timeSpan: .never, count: 0, scheduler: timers).flatMap { $0 } },
    .below("delay, what waits", allowed: 1) { Observable.merge($0, $0.delay(.never, scheduler: timers)) },
    .below("debounce, what waits") { Observable.merge($0, $0.debounce(.never, scheduler: timers)) },
    .below("throttle") { Observable.merge($0, $0.throttle(.never, scheduler: timers)) },
    .below("timeout") { $0.timeout(.never, scheduler: timers) },
    .below("take(for:), skip(_:)") {
        Observable.merge($0.take(for: .never, scheduler: timers), $0.skip(.never, scheduler: timers))
    },
]

let timers = SerialDispatchQueueScheduler(qos: .default)

/// Chains that deliver on the main queue. All elements are pushed on the main thread and do not wait for the queue.
private let onMain: [Row] = [
    // Dispatch retains the main queue that it returns: one reference.
    .below("observe(on:), on main already", references: 1) { $0.observe(on: MainScheduler()) },
    Row("Driver, on main already", references: 1) { tally in
        let relay = BehaviorRelay(value: 0)
        _ = relay.asDriver().map { $0 &+ 1 }.filter { $0 > 0 }.drive(onNext: { tally.add($0) })
        return { count in for number in 0..<count { relay.accept(number) } }
    },
    Row("Signal, on main already", references: 1) { tally in
        let relay = PublishRelay<Int>()
        _ = relay.asSignal().distinctUntilChanged().emit(onNext: { tally.add($0) })
        return { count in for number in 0..<count { relay.accept(number) } }
    },
]

private let extensions: [Row] = [
    .below("mapTo, ignore, ignoreWhen") { $0.mapTo(1).ignore(2, 3).ignoreWhen { $0 < 0 } },
    .below("unwrap, filterMap") { $0.map { $0 & 1 == 0 ? $0 : nil }.unwrap().filterMap { .map($0 &+ 1) } },
    .below("pairwise") { $0.pairwise().map { $0 &+ $1 } },
    .below("pausable") { $0.pausable(Observable.just(true)) },
    .below("pausableBuffered, open", allowed: 0, 0, 4) { $0.pausableBuffered(Observable.never().startWith(true)) },
    .below("pausableBuffered, flushed", allowed: 0, 0, 9) { source in
        source.pausableBuffered(source.map { $0 & 3 == 0 }, limit: 4)
    },
    .below("cascade", allowed: 0, 0, 1) { Observable.cascade([Observable.never(), $0]) },
]

private let subjects: [Row] = [
    .below("PublishSubject") { $0 },
    Row("PublishSubject, eight observers") { tally in
        let subject = PublishSubject<Int>()
        for _ in 0..<8 { _ = subject.subscribe(onNext: { tally.add($0) }) }
        return { count in for number in 0..<count { subject.onNext(number) } }
    },
    Row("subscribe(_:) and an observer") { tally in
        let (subject, next) = (PublishSubject<Int>(), PublishSubject<Int>())
        _ = subject.subscribe { if case .next(let number) = $0 { tally.add(number) } }
        _ = subject.subscribe(next)
        _ = next.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { subject.onNext(number) } }
    },
    Row("BehaviorSubject") { tally in
        let subject = BehaviorSubject(value: 0)
        _ = subject.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { subject.onNext(number) } }
    },
    Row("ReplaySubject") { tally in
        let subject = ReplaySubject<Int>.create(bufferSize: 8)
        _ = subject.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { subject.onNext(number) } }
    },
    Row("PublishRelay") { tally in
        let relay = PublishRelay<Int>()
        _ = relay.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { relay.accept(number) } }
    },
    Row("BehaviorRelay") { tally in
        let relay = BehaviorRelay(value: 0)
        _ = relay.subscribe(onNext: { tally.add($0) })
        return { count in for _ in 0..<count { relay.accept(relay.value &+ 1) } }
    },
    Row("ReplayRelay") { tally in
        let relay = ReplayRelay<Int>.create(bufferSize: 8)
        _ = relay.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { relay.accept(number) } }
    },
    Row("bind(to:)", references: 1) { tally in
        let (subject, relay) = (PublishSubject<Int>(), PublishRelay<Int>())
        _ = subject.bind(to: relay)
        _ = relay.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { subject.onNext(number) } }
    },
]

private final class Box {
    let value: Int

    init(_ value: Int) {
        self.value = value
    }
}

private struct Differences: LinearOperator {
    func makeState() -> Int { 0 }

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        element &- stage.exchange(element)
    }
}
