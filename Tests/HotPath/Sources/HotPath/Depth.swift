import Glibc
import RxSwift

/// How many chains of 1 000 equal stages subscribe, deliver, end and are torn down on a thread with a stack of 512 KiB.
///
/// One that does not fit ends the process: the stack overflows.
func deepChains() -> Int {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 << 10)
    var thread = pthread_t()
    pthread_create(
        &thread, &attributes,
        { _ in UnsafeMutableRawPointer(bitPattern: stages.filter(delivers).count) }, nil)
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
