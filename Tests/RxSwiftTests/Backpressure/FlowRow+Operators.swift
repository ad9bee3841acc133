import RxSwift
import RxTest
import TestSupport

extension FlowRow {
    private static func numbers(_ count: Int = 20) -> Observable<Int> { .range(start: 0, count: count) }
    private static func later(_ scheduler: TestScheduler, _ count: Int = 20) -> Observable<Int> {
        .range(start: 100, count: count, scheduler: scheduler)
    }
    private static func ticks(_ scheduler: TestScheduler, _ period: Int = 5, _ count: Int = 6) -> Observable<Int> {
        Observable<Int>.interval(.seconds(period), scheduler: scheduler).take(count)
    }

    private static func atOnce(_ element: Int, error: (any Error)? = nil) -> Observable<Int> {
        .create { observer in
            observer.onNext(element)
            if let error { observer.onError(error) } else { observer.onCompleted() }
            return Disposables.create()
        }
    }

    static let all: [FlowRow] = creating + linear + combining + sequential + timing

    private static let creating: [FlowRow] = [
        FlowRow("of") { _ in .of(1, 2, 3, 4, 5) },
        FlowRow("from(sequence)") { _ in .from(AnySequence([1, 2, 3, 4])) },
        FlowRow("from(scheduler:)") { .from([1, 2, 3, 4], scheduler: $0) },
        FlowRow("range") { _ in numbers() },
        FlowRow("range(scheduler:)") { later($0) },
        FlowRow("generate") { _ in .generate(initialState: 0, condition: { $0 < 9 }, iterate: { $0 + 1 }) },
        FlowRow("repeatElement") { _ in Observable.repeatElement(7).take(9) },
        FlowRow("just") { _ in .just(1) },
        FlowRow("just(scheduler:)") { .just(1, scheduler: $0) },
        FlowRow("empty") { _ in .empty() },
        FlowRow("error") { _ in .error(RxError.unknown) },
        FlowRow("deferred") { _ in .deferred { numbers() } },
        FlowRow("using") { _ in .using({ BooleanDisposable() }, observableFactory: { _ in numbers() }) },
        FlowRow("interval") { ticks($0) },
        FlowRow("timer") { .timer(.seconds(3), scheduler: $0) },
        FlowRow("create") { _ in
            .create { observer in
                observer.onNext(1)
                observer.onCompleted()
                return Disposables.create()
            }
        },
    ]

    private static let linear: [FlowRow] = [
        FlowRow("map") { _ in numbers().map { $0 * 2 } },
        FlowRow("filter") { _ in numbers().filter { $0 % 3 == 0 } },
        FlowRow("compactMap") { _ in numbers().compactMap { $0 % 2 == 0 ? $0 : nil } },
        FlowRow("scan") { _ in numbers().scan(0, accumulator: +) },
        FlowRow("reduce") { _ in numbers().reduce(0, accumulator: +) },
        FlowRow("toArray") { _ in numbers().toArray().asObservable().map(\.count) },
        FlowRow("enumerated") { _ in numbers().enumerated().map(\.index) },
        FlowRow("materialize") { _ in numbers(5).materialize().map { $0.isCompleted ? -1 : 0 } },
        FlowRow("distinctUntilChanged") { _ in numbers().map { $0 / 3 }.distinctUntilChanged() },
        FlowRow("skip") { _ in numbers().skip(3) },
        FlowRow("skip(while:)") { _ in numbers().skip(while: { $0 < 4 }) },
        FlowRow("take") { _ in numbers().take(7) },
        FlowRow("take(while:)") { _ in numbers().take(while: { $0 < 4 }) },
        FlowRow("takeLast") { _ in numbers().takeLast(5) },
        FlowRow("element(at:)") { _ in numbers().element(at: 3) },
        FlowRow("ifEmpty(default:)") { _ in Observable.empty().ifEmpty(default: 1) },
        FlowRow("ignoreElements") { _ in numbers().ignoreElements().asCompletable().andThen(numbers(3)) },
        FlowRow("do") { _ in numbers().do(onNext: { _ in }) },
        FlowRow("observe(on:)") { numbers().observe(on: $0) },
        FlowRow("observe(on:) twice") { numbers().observe(on: $0).map { $0 + 1 }.observe(on: $0) },
        FlowRow("observe(on:) that keeps all") { numbers().observe(on: $0, buffering: .unbounded) },
        FlowRow("observe(on:) above one that pauses") {
            numbers().observe(on: $0).observe(on: $0, buffering: .pausing(2))
        },
        FlowRow("subscribe(on:)") { numbers().subscribe(on: $0) },
    ]

    private static let combining: [FlowRow] = [
        FlowRow("merge", .elements) { _ in .merge(numbers(), numbers()) },
        FlowRow("merge(maxConcurrent:)", .elements) { _ in
            numbers(8).map { numbers($0) }.merge(maxConcurrent: 2)
        },
        FlowRow("flatMap", .elements) { _ in numbers(6).flatMap { numbers($0) } },
        FlowRow("flatMap of just") { _ in numbers().flatMap { Observable.just($0) } },
        FlowRow("flatMap on a scheduler", .elements) { scheduler in numbers(6).flatMap { later(scheduler, $0) } },
        FlowRow("concatMap") { _ in numbers(6).concatMap { numbers($0) } },
        FlowRow("concatMap of just") { _ in numbers().concatMap { Observable.just($0) } },
        FlowRow("flatMapFirst") { scheduler in ticks(scheduler, 10, 4).flatMapFirst { _ in later(scheduler, 6) } },
        FlowRow("flatMapLatest") { scheduler in
            ticks(scheduler, 10, 4).flatMapLatest { _ in later(scheduler, 6) }
        },
        FlowRow("combineLatest", .elements) { _ in .combineLatest(numbers(), numbers()) { $0 + $1 } },
        FlowRow("zip") { _ in .zip(numbers(), numbers()) { $0 + $1 } },
        FlowRow("zip of unequal") { .zip(numbers(), later($0)) { $0 + $1 } },
        FlowRow("zip that pauses, of a hop") {
            .zip(numbers().observe(on: $0), later($0), buffering: .pausing(2)) { $0 + $1 }
        },
        FlowRow("withLatestFrom") { numbers().withLatestFrom(Observable.just(3)) { $0 + $1 }.observe(on: $0) },
        FlowRow("amb") { _ in .amb([numbers(), numbers(3)]) },
        FlowRow("take(until:)") { later($0).take(until: ticks($0, 8, 1)) },
        FlowRow("skip(until:)") { later($0).skip(until: ticks($0, 8, 1)) },
    ]

    private static let sequential: [FlowRow] = [
        FlowRow("concat") { _ in .concat(numbers(), numbers(3), .just(9), .of(1, 2)) },
        FlowRow("concat of justs") { _ in .concat((0..<20).map { .just($0) }) },
        FlowRow("concat of sources that send at once") { _ in .concat((0..<20).map { atOnce($0) }) },
        FlowRow("concat of deferred sources") { _ in
            .concat((0..<20).map { number in .deferred { atOnce(number) } })
        },
        FlowRow("catch(sequence:) of sources that send at once") { _ in
            .catch(sequence: (0..<20).map { atOnce($0, error: RxError.unknown) })
        },
        FlowRow("startWith") { _ in numbers().startWith(-3, -2, -1) },
        FlowRow("catch") { _ in numbers().concat(Observable.error(RxError.unknown)).catch { _ in numbers(4) } },
        FlowRow("catchAndReturn") { _ in numbers().concat(Observable.error(RxError.unknown)).catchAndReturn(-1) },
        FlowRow("retry") { _ in numbers(4).concat(Observable.error(RxError.unknown)).retry(3) },
        FlowRow("retry of what sends at once") { _ in atOnce(1, error: RxError.unknown).retry(20) },
        FlowRow("retry(when:) of what sends at once") { _ in
            atOnce(1, error: RxError.unknown).retry(when: { (errors: Observable<any Error>) in errors.take(20) })
        },
        FlowRow("ifEmpty(switchTo:)") { _ in Observable.empty().ifEmpty(switchTo: numbers()) },
        FlowRow("groupBy", overshoots: true) { _ in numbers().groupBy { $0 % 3 }.flatMap { $0 } },
        FlowRow("share") { _ in numbers(1).share() },
    ]

    private static let timing: [FlowRow] = [
        FlowRow("delay", .events) { numbers(9).delay(.seconds(3), scheduler: $0) },
        FlowRow("delay above a hop that pauses", .events) {
            numbers().delay(.seconds(3), scheduler: $0).observe(on: $0, buffering: .pausing(2))
        },
        FlowRow("delaySubscription") { numbers().delaySubscription(.seconds(3), scheduler: $0) },
        FlowRow("debounce") { ticks($0).debounce(.seconds(2), scheduler: $0) },
        FlowRow("throttle") { ticks($0).throttle(.seconds(12), scheduler: $0) },
        FlowRow("timeout") { ticks($0).timeout(.seconds(50), scheduler: $0) },
        FlowRow("sample") { ticks($0).sample(ticks($0, 7, 4)) },
        FlowRow("buffer") { ticks($0).buffer(timeSpan: .seconds(12), count: 2, scheduler: $0).map(\.count) },
        FlowRow("window", overshoots: true) {
            ticks($0).window(timeSpan: .seconds(12), count: 2, scheduler: $0).flatMap { $0 }
        },
        FlowRow("skip(for:)") { ticks($0).skip(.seconds(12), scheduler: $0) },
        FlowRow("take(for:)") { ticks($0).take(for: .seconds(12), scheduler: $0) },
    ]
}
