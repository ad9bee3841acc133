import Dispatch
import RxRelay
import RxSwift
import RxSwiftExt

/// Elements that cause a subscription or create a sequence. The numbers are the allowed allocations, metadata requests
/// and exclusivity checks.
let subscriptions: [Row] = [
    .each("just", 2) { _ = Observable.just(1).subscribe(onNext: $0) },
    .each("empty", 4) {
        _ = Observable<Int>.empty().subscribe(onNext: $0); $0(1)
    },
    .each("of", 5, 1) { _ = Observable.of(1, 2).subscribe(onNext: $0) },
    .each("from", 5, 1) { _ = Observable.from([1, 2]).subscribe(onNext: $0) },
    .each("range", 5) { _ = Observable.range(start: 0, count: 2).subscribe(onNext: $0) },
    .each("create", 10) { next in
        _ = Observable<Int>.create {
            $0.onNext(1); return Disposables.create {}
        }.subscribe(onNext: next)
    },
    .each("deferred", 6, 0, 1) { _ = Observable<Int>.deferred { .just(1) }.subscribe(onNext: $0) },
    .each("error, catch", 12, 0, 2) {
        _ = Observable<Int>.error(RxError.unknown).catchAndReturn(1).subscribe(onNext: $0)
    },
    .each("retry", 8, 0, 1) { _ = Observable<Int>.just(1).retry(2).subscribe(onNext: $0) },
    .each("map, filter", 8) { _ = Observable.just(1).map { $0 + 1 }.filter { $0 > 0 }.subscribe(onNext: $0) },
    .each("scan, take", 9, 1) { _ = Observable.of(1, 2).scan(0, accumulator: +).take(1).subscribe(onNext: $0) },
    .each("reduce", 7, 2) { _ = Observable.of(1, 2).reduce(0, accumulator: +).subscribe(onNext: $0) },
    .each("toArray", 9, 3, 2) { next in _ = Observable.of(1, 2).toArray().subscribe(onSuccess: { next($0.count) }) },
    .each("concat", 10, 0, 6) { _ = Observable.just(1).concat(Observable.just(2)).subscribe(onNext: $0) },
    .each("startWith", 5) { _ = Observable.just(1).startWith(2).subscribe(onNext: $0) },
    .each("merge", 13) { _ = Observable.merge(Observable.just(1), .just(2)).subscribe(onNext: $0) },
    .each("zip", 20, 0, 7) {
        _ = Observable.zip(Observable.just(1), Observable.just(2)) { $0 + $1 }.subscribe(onNext: $0)
    },
    .each("combineLatest", 16, 0, 3) {
        _ = Observable.combineLatest(Observable.just(1), Observable.just(2)) { $0 + $1 }.subscribe(onNext: $0)
    },
    .each("withLatestFrom", 13) { _ = Observable.just(1).withLatestFrom(Observable.just(2)).subscribe(onNext: $0) },
    .each("amb", 15) { _ = Observable.just(1).amb(Observable.just(2)).subscribe(onNext: $0) },
    .each("buffer", 19, 4, 2) { next in
        _ = Observable.of(1, 2).buffer(timeSpan: .never, count: 2, scheduler: timers)
            .subscribe(onNext: { next($0.count) })
    },
    .each("window", 42, 8, 2) { next in
        _ = Observable.of(1, 2).window(timeSpan: .never, count: 2, scheduler: timers)
            .flatMap { $0 }.subscribe(onNext: next)
    },
    .each("groupBy", 44, 7) { next in
        _ = Observable.of(1, 2).groupBy { $0 & 1 }.flatMap { $0 }.subscribe(onNext: next)
    },
    .each("materialize", 8, 3) { next in _ = Observable.just(1).materialize().dematerialize().subscribe(onNext: next) },
    .each("Single, flatMap", 11, 0, 2) { next in
        _ = Single.just(1).flatMap { Single.just($0 + 1) }.subscribe(onSuccess: next)
    },
    .each("Single, map", 6, 0, 2) { next in _ = Single.just(1).map { $0 + 1 }.subscribe(onSuccess: next) },
    .each("Single, zip", 20, 0, 9) { next in
        _ = Single.zip(Single.just(1), Single.just(2)) { $0 + $1 }.subscribe(onSuccess: next)
    },
    .each("Single, create", 8, 0, 2) { next in
        _ = Single<Int>.create {
            $0(.success(1)); return Disposables.create()
        }.subscribe(onSuccess: next)
    },
    .each("Maybe, flatMap", 11, 0, 2) { next in
        _ = Maybe.just(1).flatMap { Maybe.just($0 + 1) }.subscribe(onSuccess: next)
    },
    .each("Maybe, zip", 20, 0, 9) { next in
        _ = Maybe.zip(Maybe.just(1), Maybe.just(2)) { $0 + $1 }.subscribe(onSuccess: next)
    },
    .each("Completable, andThen", 14, 0, 6) { next in
        _ = Completable.empty().andThen(Completable.empty()).subscribe(onCompleted: { next(1) })
    },
    .each("Completable, andThen Single", 14, 0, 8) { next in
        _ = Completable.empty().andThen(Single.just(1)).subscribe(onSuccess: next)
    },
    .each("Completable, zip", 13) { next in
        _ = Completable.zip(Completable.empty(), Completable.empty()).subscribe(onCompleted: { next(1) })
    },
    .each("PublishSubject", 4) { next in
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: next)
        subject.onNext(1)
        subscription.dispose()
    },
    .each("BehaviorSubject", 5, 3) { next in
        let subject = BehaviorSubject(value: 0)
        subject.subscribe(onNext: next).dispose()
    },
    .each("ReplaySubject", 6, 4) { next in
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        subject.onNext(1)
        subject.subscribe(onNext: next).dispose()
    },
    .each("AsyncSubject", 4, 5, 3) { next in
        let subject = AsyncSubject<Int>()
        let subscription = subject.subscribe(onNext: next)
        subject.onNext(1)
        subject.onCompleted()
        subscription.dispose()
    },
    .each("BehaviorRelay", 5, 3) { next in
        let relay = BehaviorRelay(value: 0)
        relay.subscribe(onNext: next).dispose()
    },
    .each("share", 17) { next in
        let subject = PublishSubject<Int>()
        let shared = subject.share()
        let subscriptions = (shared.subscribe(onNext: next), shared.subscribe(onNext: next))
        subject.onNext(1)
        subscriptions.0.dispose()
        subscriptions.1.dispose()
    },
    .each("share(replay:)", 18, 6) { next in
        let subject = PublishSubject<Int>()
        let shared = subject.share(replay: 1)
        let subscriptions = (shared.subscribe(onNext: next), shared.subscribe(onNext: next))
        subject.onNext(1)
        subscriptions.0.dispose()
        subscriptions.1.dispose()
    },
    .each("share(replay: scope: .forever)", 29, 7, 2) { next in
        let shared = Observable.just(1).share(replay: 1, scope: .forever)
        _ = shared.subscribe(onNext: next)
    },
    .each("publish, connect", 19, 0, 1) { next in
        let subject = PublishSubject<Int>()
        let published = subject.publish()
        let subscription = published.subscribe(onNext: next)
        let connection = published.connect()
        subject.onNext(1)
        subscription.dispose()
        connection.dispose()
    },
    .each("publish, refCount", 26, 0, 2) { next in
        let subject = PublishSubject<Int>()
        let subscription = subject.publish().refCount().subscribe(onNext: next)
        subject.onNext(1)
        subscription.dispose()
    },
    .each("replay, refCount", 28, 3, 2) { next in
        let subject = PublishSubject<Int>()
        let subscription = subject.replay(1).refCount().subscribe(onNext: next)
        subject.onNext(1)
        subscription.dispose()
    },
    .each("observe(on:)", 17, 24) { next in
        _ = Observable.just(1).observe(on: CurrentThreadScheduler.instance).subscribe(onNext: next)
    },
    .each("subscribe(on:)", 18, 2, 3) { next in
        _ = Observable.just(1).subscribe(on: CurrentThreadScheduler.instance).subscribe(onNext: next)
    },
    .each("schedule", 1) { next in
        _ = CurrentThreadScheduler.instance.schedule(1) {
            next($0); return Disposables.create()
        }
    },
    .each("scheduleRecursive", 2) { next in
        _ = CurrentThreadScheduler.instance.scheduleRecursive(1) { state, again in
            next(state)
            if state < 3 { again(state + 1) }
        }
    },
    .each("twelve disposables", 34, 0, 10) { next in
        let disposable = { Disposables.create { next(1) } }
        Disposables.create(disposable(), disposable()).dispose()
        let composite = CompositeDisposable(disposable(), disposable(), disposable())
        _ = composite.insert(disposable())
        composite.dispose()
        let serial = SerialDisposable()
        serial.disposable = disposable()
        serial.disposable = disposable()
        serial.dispose()
        let single = SingleAssignmentDisposable()
        single.setDisposable(disposable())
        single.dispose()
        let counted = RefCountDisposable(disposable: disposable())
        let retained = counted.retain()
        counted.dispose()
        retained.dispose()
        let bag = DisposeBag()
        disposable().disposed(by: bag)
    },
    .each("subscribe(_:)", 4, 1) { next in
        _ = Observable.just(1).subscribe { if case .next(let element) = $0 { next(element) } }
    },
    .each("subscribe(onNext:onError:)", 6) { next in
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: next, onError: { _ in next(0) })
        subject.onNext(1)
        subscription.dispose()
    },
    .each("Single, onSuccess, onFailure", 5, 0, 2) { next in
        _ = Single.just(1).subscribe(onSuccess: next, onFailure: { _ in next(0) })
    },
    .each("an observer of one's own", 5, 4) { next in
        _ = Observable.just(1).subscribe(AnyObserver { $0.element.map(next) })
    },
    .each("bind(to:)", 11, 1) { next in
        let relay = PublishRelay<Int>()
        let subscription = relay.subscribe(onNext: next)
        Observable.just(1).bind(to: relay).dispose()
        subscription.dispose()
    },
    .each("using", 11, 0, 2) { next in
        _ = Observable.using({ BooleanDisposable() }, observableFactory: { _ in Observable.just(1) }).subscribe(
            onNext: next)
    },
    .each("timeout, debounce, throttle, delay", 36, 7, 5) { next in
        _ = Observable.just(1).timeout(.never, scheduler: timers)
            .debounce(.never, scheduler: timers)
            .throttle(.never, scheduler: timers).subscribe(onNext: next)
        next(1)
    },
    .below("flatMap, just", allowed: 1) { $0.flatMap { Observable.just($0) } },
    .below("flatMapFirst, just", allowed: 1) { $0.flatMapFirst { Observable.just($0) } },
    .below("flatMapLatest, just", allowed: 1) { $0.flatMapLatest { Observable.just($0) } },
    .below("concatMap, just", allowed: 1) { $0.concatMap { Observable.just($0) } },
    .below("map, merge(maxConcurrent:)", allowed: 1) { $0.map { Observable.just($0) }.merge(maxConcurrent: 2) },
    .below("map, switchLatest", allowed: 1) { $0.map { Observable.just($0) }.switchLatest() },
    .below("flatMap, of", allowed: 3, 1) { $0.flatMap { Observable.of($0, $0) } },
    .below("flatMapFirst, of", allowed: 3, 1) { $0.flatMapFirst { Observable.of($0, $0) } },
    .below("flatMapLatest, of", allowed: 3, 1) { $0.flatMapLatest { Observable.of($0, $0) } },
    .below("concatMap, of", allowed: 3, 1, 1) { $0.concatMap { Observable.of($0, $0) } },
    .below("flatMap, map", allowed: 5) { $0.flatMap { Observable.just($0).map { $0 + 1 } } },
    .below("flatMap, from", allowed: 3, 1) { $0.flatMap { Observable.from([$0, $0]) } },
    .below("flatMap, create", allowed: 6) { $0.flatMap { created($0) } },
    .below("flatMap, Single", allowed: 1) { $0.flatMap { Single.just($0) } },
    .below("concatMap, create", allowed: 6, 0, 1) { $0.concatMap { created($0) } },
    .below("flatMapLatest, create", allowed: 6) { $0.flatMapLatest { created($0) } },
    .below("flatMapLatest, never", allowed: 5) { $0.flatMapLatest { Observable.never().startWith($0) } },
    .below("window of four", allowed: 2, 1) { $0.window(timeSpan: .never, count: 4, scheduler: timers).flatMap { $0 } },
    .below("groupBy of eight", references: 1) { $0.groupBy { $0 & 7 }.flatMap { $0 } },
    .below("observe(on:), the current thread", allowed: 2, 9) { $0.observe(on: CurrentThreadScheduler.instance) },
]

private func created(_ element: Int) -> Observable<Int> {
    Observable.create {
        $0.onNext(element)
        $0.onCompleted()
        return Disposables.create()
    }
}
