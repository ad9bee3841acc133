import Benchmark
import RxRelay
import RxSwift

let benchmarks: @Sendable () -> Void = {
    events()
    subscriptions()
}

private func events() {
    measureEvents("event.subject") { $0.subscribe(onNext: { blackHole($0) }) }
    measureEvents("event.subject.100") { subject in
        CompositeDisposable(disposables: (0..<100).map { _ in subject.subscribe(onNext: { blackHole($0) }) })
    }
    measureEvents("event.map-filter.12") { twelve($0).subscribe(onNext: { blackHole($0) }) }
    measureEvents("event.scan.distinct.take") {
        $0.scan(0, accumulator: &+).distinctUntilChanged().take(.max).subscribe(onNext: { blackHole($0) })
    }
    measureEvents("event.merge") { Observable.merge($0, Observable.never()).subscribe(onNext: { blackHole($0) }) }
    measureEvents("event.zip") { Observable.zip($0, $0) { $0 &+ $1 }.subscribe(onNext: { blackHole($0) }) }
    measureEvents("event.combineLatest") {
        Observable.combineLatest($0, Observable.just(1)) { $0 &+ $1 }.subscribe(onNext: { blackHole($0) })
    }
    measureEvents("event.withLatestFrom") {
        $0.withLatestFrom(Observable.just(1)) { $0 &+ $1 }.subscribe(onNext: { blackHole($0) })
    }
    measureEvents("event.share.replay.1") { $0.share(replay: 1).subscribe(onNext: { blackHole($0) }) }
    measureEvents("event.buffer.16") {
        $0.buffer(timeSpan: .never, count: 16, scheduler: MainScheduler.instance).subscribe(onNext: { blackHole($0) })
    }
    measureEvents("event.flatMap.just") { $0.flatMap { Observable.just($0) }.subscribe(onNext: { blackHole($0) }) }
    measure("event.relay") {
        let relay = BehaviorRelay(value: 0)
        return (relay, relay.subscribe(onNext: { blackHole($0) }))
    } _: { relay, _ in
        relay.accept(1)
    }
}

private func subscriptions() {
    measure("subscription.just") {
    } _: {
        Observable.just(1).subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.subject", prepare: PublishSubject<Int>.init) {
        $0.subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.map-filter.12", prepare: PublishSubject<Int>.init) {
        twelve($0).subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.merge", prepare: PublishSubject<Int>.init) {
        Observable.merge($0, $0).subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.zip", prepare: PublishSubject<Int>.init) {
        Observable.zip($0, $0) { $0 &+ $1 }.subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.flatMap", prepare: PublishSubject<Int>.init) { subject in
        Observable.just(1).flatMap { _ in subject }.subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.share", prepare: PublishSubject<Int>.init) {
        $0.share().subscribe(onNext: { blackHole($0) }).dispose()
    }
    measure("subscription.bag", prepare: PublishSubject<Int>.init) {
        $0.subscribe(onNext: { blackHole($0) }).disposed(by: DisposeBag())
    }
    measure("subject.life") {
    } _: {
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: { blackHole($0) })
        subject.onNext(1)
        subscription.dispose()
    }
}

private func twelve(_ source: Observable<Int>) -> Observable<Int> {
    source
        .map { $0 }.filter { _ in true }.map { $0 }.filter { _ in true }.map { $0 }.filter { _ in true }
        .map { $0 }.filter { _ in true }.map { $0 }.filter { _ in true }.map { $0 }.filter { _ in true }
}
