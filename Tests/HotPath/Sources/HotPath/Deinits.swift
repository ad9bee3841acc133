import Glibc
import RxRelay
import RxSwift
import RxSwiftExt

/// Runs each operator with elements whose `deinit` pushes another element into the operator. Returns the number of
/// operators that fail.
///
/// Needs a release build. There the compiler may release a removed value before the operator's state has changed. If a
/// double release ends the process, the last printed line names the operator.
func brokenByDeinits() -> Int {
    evictors.filter { name, make in
        print("deinits that push, \(name): ", terminator: "")
        fflush(stdout)
        let trial = DeinitTrial()
        trial.run(make)
        print("\(trial.made) made, \(trial.freed) freed  \(trial.isWhole ? "ok" : "MISSED")")
        return !trial.isWhole
    }.count
}

/// Counts elements whose `deinit` pushes another element.
private final class DeinitTrial {
    typealias Make = (DeinitTrial, HistoricalScheduler) -> (any Disposable, between: () -> Void)

    let subject = PublishSubject<Pushing>()
    var made = 0
    var freed = 0
    private var isRunning = true
    private var depth = 0

    var isWhole: Bool { made > 24 && made == freed }

    func run(_ make: Make) {
        let scheduler = HistoricalScheduler()
        let (subscription, between) = make(self, scheduler)
        for number in 0..<24 {
            push(number)
            if number % 5 == 4 { between() }
        }
        subscription.dispose()
        scheduler.start()
        isRunning = false
        subject.onCompleted()
    }

    func element(_ number: Int) -> Pushing {
        made += 1
        return Pushing(number, self)
    }

    private func push(_ number: Int) {
        subject.onNext(element(number))
    }

    func release(_ number: Int) {
        freed += 1
        // Each delivery may free an element, and its `deinit` pushes another element. The limits end this.
        guard isRunning, depth < 3, made < 300 else { return }
        depth += 1
        push(number + 100)
        depth -= 1
    }
}

private final class Pushing: Hashable {
    let number: Int
    private let trial: DeinitTrial

    init(_ number: Int, _ trial: DeinitTrial) {
        self.number = number
        self.trial = trial
    }

    deinit { trial.release(number) }

    static func == (first: Pushing, second: Pushing) -> Bool { first.number / 2 == second.number / 2 }

    func hash(into hasher: inout Hasher) { hasher.combine(number / 2) }
}

/// One row for each way in which an operator releases an element.
private let evictors: [(name: String, make: DeinitTrial.Make)] = [
    triggered("pausableBuffered") { $0.pausableBuffered($1.scan(false) { last, _ in !last }, limit: 2) },
    below("nwise") { source, _ in source.nwise(3) },
    below("pairwise") { source, _ in source.pairwise() },
    below("takeLast") { source, _ in source.takeLast(3) },
    below("scan") { source, _ in source.scan(nil as Pushing?) { $1 } },
    below("scan(into:)") { source, _ in source.scan(into: [Pushing]()) { $0 = [$1] } },
    below("reduce") { source, _ in source.reduce(nil as Pushing?) { $1 } },
    below("distinctUntilChanged") { source, _ in source.distinctUntilChanged() },
    below("distinct") { source, _ in source.distinct() },
    below("combineLatest") { source, _ in Observable.combineLatest(source, source) },
    triggered("withLatestFrom") { $1.withLatestFrom($0) },
    triggered("sample") { $0.sample($1) },
    triggered("bufferWithTrigger") { $0.bufferWithTrigger($1) },
    triggered("zip") { Observable.zip($0, $1) },
    triggered("zip, .newest") { Observable.zip($0, $1, buffering: .newest(2)) { element, _ in element } },
    triggered("zip, .oldest") { Observable.zip($0, $1, buffering: .oldest(2)) { element, _ in element } },
    below("share(replay:)") { source, _ in source.share(replay: 2, scope: .forever) },
    below("flatMapLatest") { source, _ in source.flatMapLatest { Observable.never().startWith($0) } },
    below("groupBy") { source, _ in source.groupBy { $0 }.flatMap { $0.take(1) } },
    (
        "switchIfEmpty",
        { trial, _ in (trial.subject.ifEmpty(switchTo: .just(trial.element(200))).subscribe(), {}) }
    ),
    below("debounce") { $0.debounce(.seconds(3), scheduler: $1) },
    below("throttle") { $0.throttle(.seconds(3), scheduler: $1) },
    below("delay") { $0.delay(.seconds(3), scheduler: $1) },
    below("buffer") { $0.buffer(timeSpan: .seconds(3), count: 2, scheduler: $1) },
    below("window") { $0.window(timeSpan: .seconds(3), count: 2, scheduler: $1).flatMap { $0.toArray() } },
    below("observe(on:)") { $0.observe(on: $1) },
    below("observe(on:), .newest") { $0.observe(on: $1, buffering: .newest(2)) },
    below("observe(on:), .oldest") { $0.observe(on: $1, buffering: .oldest(2)) },
    below("observe(on:), .pausing") { $0.observe(on: $1, buffering: .pausing(2)) },
    ("ReplaySubject", { trial, _ in into(ReplaySubject.create(bufferSize: 2), trial.subject) }),
    ("BehaviorSubject", { trial, _ in into(BehaviorSubject<Pushing?>(value: nil), trial.subject.map { $0 }) }),
    ("AsyncSubject", { trial, _ in into(AsyncSubject(), trial.subject) }),
    (
        "ReplayRelay",
        { trial, _ in
            let relay = ReplayRelay<Pushing>.create(bufferSize: 2)
            return (trial.subject.bind(to: relay), {})
        }
    ),
    (
        "SerialDisposable",
        { trial, _ in
            let current = SerialDisposable()
            let outer = trial.subject.subscribe(onNext: { element in
                current.disposable = Disposables.create { withExtendedLifetime(element) {} }
            })
            return (Disposables.create(outer, current), {})
        }
    ),
]

/// A chain on a virtual clock, which advances between some elements.
private func below(
    _ name: String, _ build: @escaping (Observable<Pushing>, HistoricalScheduler) -> Observable<some Any>
) -> (String, DeinitTrial.Make) {
    (
        name,
        { trial, scheduler in
            (
                build(trial.subject, scheduler).subscribe(onError: { _ in }),
                { scheduler.advanceTo(scheduler.clock.addingTimeInterval(5)) }
            )
        }
    )
}

/// A chain with a second source, which sends between some elements.
private func triggered(
    _ name: String, _ build: @escaping (Observable<Pushing>, Observable<Int>) -> Observable<some Any>
) -> (String, DeinitTrial.Make) {
    (
        name,
        { trial, _ in
            let trigger = PublishSubject<Int>()
            return (build(trial.subject, trigger).subscribe(), { trigger.onNext(0) })
        }
    )
}

private func into<Subject: SubjectType>(
    _ subject: Subject, _ source: Observable<Subject.Observer.Element>
) -> (any Disposable, between: () -> Void) {
    let observer = subject.asObserver()
    return (Disposables.create(subject.subscribe(), source.subscribe(observer)), {})
}
