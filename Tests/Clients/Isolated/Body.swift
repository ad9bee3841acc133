let lines = Lines()
let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "queue")
let background = ConcurrentDispatchQueueScheduler(qos: .utility)
let bag = DisposeBag()

// Each closure contains an inner closure. If the outer closure were isolated to an actor, the inner closure would check
// its thread and stop the process.
Hooks.defaultErrorHandler = { _, error in lines.add([error].map { "hook \($0)" }.joined()) }
let relay = BehaviorRelay(value: 0)
let refused = RxError.noElements

let doubled: Observable<Int> = Observable.just([3, 1, 2])
    .observe(on: queue)
    .map { list in list.sorted { $0 < $1 } }
    .flatMap { list in Observable.from(list).map { $0 * 2 }.filter { $0 > 0 } }
let sums: Observable<Int> = doubled.scan(0) { sum, element in [sum, element].reduce(0) { $0 + $1 } }
let noted: Observable<Int> = sums.do(onNext: { element in [element].forEach { lines.addOffMain("do \($0)") } })
noted.subscribe(
    onNext: { element in [element].forEach { lines.addOffMain("next \($0)") } },
    onCompleted: { [1].forEach { lines.addOffMain("completed \($0)") } },
    onDisposed: { [1].forEach { lines.addOffMain("disposed \($0)") } }
)
.disposed(by: bag)

let attempts = Observable<Int>.create { observer in
    [1, 2].forEach { observer.onNext($0) }
    observer.onError(refused)
    return Disposables.create { [1].forEach { lines.add("torn down \($0)") } }
}
let retried = attempts.subscribe(on: background)
    .retry(2).catch { error in [error].map { _ in Observable.just(3) }[0] }
retried.toArray().subscribe(onSuccess: { list in lines.addOffMain(list.map { "\($0)" }.joined(separator: " ")) })
    .disposed(by: bag)

Single<Int>.create { single in
    [7].forEach { single(.success($0)) }
    return Disposables.create()
}
.subscribe(on: background)
.map { number in [number].map { $0 + 1 }[0] }
.subscribe { event in [event].forEach { lines.addOffMain("\($0)") } }
.disposed(by: bag)

Observable.zip(
    Observable.of(1, 2).observe(on: queue), Observable.of(3, 4).observe(on: queue),
    resultSelector: { left, right in [left, right].reduce(0) { $0 + $1 } }
)
.subscribe { event in [event].forEach { lines.addOffMain("zip \($0)") } }
.disposed(by: bag)

relay.observe(on: queue).skip(1)
    .bind(onNext: { value in [value].forEach { lines.addOffMain("relay \($0)") } }).disposed(by: bag)
relay.accept(5)

_ = queue.schedule(1) { state in
    [state].forEach { lines.addOffMain("scheduled \($0)") }
    return Disposables.create()
}
_ = queue.scheduleRecursive(2) { state, recurse in
    [state].forEach { lines.addOffMain("recursive \($0)") }
    if state > 1 { recurse(state - 1) }
}

let calls = SingleFlight<String, Int>()
calls.value(for: "key") { [1].map { Single.just($0) }[0].observe(on: queue) }
    .subscribe(onSuccess: { value in [value].forEach { lines.addOffMain("flight \($0)") } })
    .disposed(by: bag)

let binder = Binder(bag, scheduler: queue) { _, value in [value].forEach { lines.addOffMain("bound \($0)") } }
Observable.just(9).bind(to: binder).disposed(by: bag)

Observable<Int>.error(refused).observe(on: queue).subscribe(onNext: { _ in }).disposed(by: bag)

let observer = AnyObserver<Int> { event in [event].forEach { lines.addOffMain("observer \($0)") } }
Observable.just(8).observe(on: queue).subscribe(observer).disposed(by: bag)

SharingScheduler.use { [1].map { _ in SerialDispatchQueueScheduler(internalSerialQueueName: "shared") }[0] }
Observable.just(4).asDriver(onErrorRecover: { error in [error].map { _ in Driver.empty() }[0] })
    .map { value in [value].map { $0 + 1 }[0] }
    .drive(onNext: { value in [value].forEach { lines.addOffMain("driven \($0)") } })
    .disposed(by: bag)

await lines.expect([
    "do 2", "do 6", "do 12", "next 2", "next 6", "next 12", "completed 1", "disposed 1", "torn down 1", "torn down 1",
    "1 2 1 2 3", "success(8)", "zip next(4)", "zip next(6)", "zip completed", "relay 5",
    "scheduled 1", "recursive 2", "recursive 1", "flight 1", "bound 9", "hook \(refused)", "observer next(8)",
    "observer completed", "driven 5",
])
