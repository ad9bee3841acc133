import Glibc
import RxSwift

/// Subscribes to deep chains, lets them deliver and end, and tears them down, on a stack of 512 KiB. Some have 1 000
/// identical linear stages, others 150 stages that each begin a chain of their own. Returns the number of chains that
/// deliver correctly. If a chain does not fit, the stack overflows and the process ends.
func deepChains() -> Int {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 << 10)
    var thread = pthread_t()
    pthread_create(
        &thread, &attributes,
        { _ in UnsafeMutableRawPointer(bitPattern: stages.filter(delivers).count + links.filter(ends).count) }, nil)
    var count: UnsafeMutableRawPointer?
    pthread_join(thread, &count)
    return Int(bitPattern: count)
}

let stages: [(Observable<Int>) -> Observable<Int>] = [
    { $0.map { $0 } }, { $0.filter { _ in true } }, { $0.scan(0) { $1 } }, { $0.distinctUntilChanged() },
    { $0.take(5) }, { $0.skip(0) },
    { $0.compactMap { $0 } }, { $0.startWith() }, { $0.do(onNext: { _ in }) }, { $0.take(while: { _ in true }) },
    { $0.skip(while: { _ in false }) }, { $0.enumerated().map { $0.element } }, { $0.materialize().dematerialize() },
]

private func delivers(_ stage: (Observable<Int>) -> Observable<Int>) -> Bool {
    let subject = PublishSubject<Int>()
    var chain: Observable<Int> = subject
    for _ in 0..<1_000 { chain = stage(chain) }
    let tally = Tally()
    chain.subscribe(onNext: { tally.add($0) }).dispose()
    let subscription = chain.subscribe(onNext: { tally.add($0) }, onCompleted: { tally.add(10) })
    subject.onNext(1)
    subject.onCompleted()
    subscription.dispose()
    return tally.sum == 11 && !subject.hasObservers
}

/// The operators with the largest stack frames: the last rows of the stack table in ThreadsAndGuarantees.
let links: [(Observable<Int>) -> Observable<Int>] = [
    { $0.window(timeSpan: .seconds(100), count: 1, scheduler: HistoricalScheduler()).flatMap { $0 } },
    { $0.groupBy { $0 }.flatMap { $0 } },
    { $0.multicast({ PublishSubject<Int>() }, selector: { $0 }) },
    { source in
        .create { observer in
            let subject = PublishSubject<Int>()
            return Disposables.create(subject.subscribe(observer), source.subscribe(subject))
        }
    },
    { $0.retry(when: { $0.flatMap { Observable<Int>.error($0) } }) },
    { $0.publish().refCount() }, { $0.share(replay: 2) },
]

private struct Failure: Error {}

private func ends(_ link: (Observable<Int>) -> Observable<Int>) -> Bool {
    /// Returns the tally of a chain on `source`. If `source` is nil, the chain is on a subject that sends an element
    /// and then `event`.
    func tally(_ source: Observable<Int>?, _ event: Event<Int>? = nil) -> Int {
        let subject = PublishSubject<Int>()
        var chain = source ?? subject
        for _ in 0..<150 { chain = link(chain) }
        let tally = Tally()
        let subscription = chain.subscribe(
            onNext: { tally.add($0) }, onError: { _ in tally.add(100) }, onCompleted: { tally.add(10) })
        subject.onNext(1)
        if let event { subject.on(event) }
        subscription.dispose()
        return tally.sum
    }
    let failing = Observable.just(1).concat(Observable.error(Failure()))
    return tally(.just(1)) == 11 && tally(failing) == 101 && tally(nil) == 1 && tally(nil, .completed) == 11
        && tally(nil, .error(Failure())) == 101
}
