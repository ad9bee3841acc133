import RxSwift
import TestSupport
import Testing

/// While an operator replaces its stored value, the old value's `deinit` may make the operator read the stored value.
/// The operator must then read the new value.
///
/// The value is a pair, because unoptimised code assigns the two references one after the other.
@Suite struct ReplacedValueTests {
    typealias Pair = (first: LifetimeTracker.Tracked, second: LifetimeTracker.Tracked)

    let tracker = LifetimeTracker()
    let log = Log()

    private func pair(_ value: Int, onDeinit: (@Sendable () -> Void)? = nil) -> Pair {
        (tracker.make(value, onDeinit: onDeinit), tracker.make(value))
    }

    private func note(_ pair: Pair) {
        log("\(pair.first)\(pair.second)")
    }

    @Test func theLatestOfWithLatestFrom() {
        let source = PublishSubject<Void>()
        let second = PublishSubject<Pair>()
        let subscription = source.withLatestFrom(second).subscribe(onNext: note)
        defer { subscription.dispose() }
        second.onNext(pair(1, onDeinit: { source.onNext(()) }))
        second.onNext(pair(2))
        #expect(log.text == "22")
    }

    @Test func theLatestOfCombineLatest() {
        let a = PublishSubject<Pair>()
        let b = PublishSubject<Void>()
        let subscription = Observable.combineLatest(a, b) { pair, _ in pair }.subscribe(onNext: note)
        defer { subscription.dispose() }
        b.onNext(())
        a.onNext(pair(1, onDeinit: { b.onNext(()) }))
        a.onNext(pair(2))
        #expect(log.text == "11 22 22")
    }

    @Test func replacedLatestOfSampleMayTriggerSample() {
        let source = PublishSubject<Pair>()
        let sampler = PublishSubject<Void>()
        let subscription = source.sample(sampler).subscribe(onNext: note)
        defer { subscription.dispose() }
        source.onNext(pair(1, onDeinit: { sampler.onNext(()) }))
        source.onNext(pair(2))
        #expect(log.text == "22")
    }

    @Test func theLastElementOfDistinctUntilChanged() {
        let source = PublishSubject<Pair>()
        let subscription = source.distinctUntilChanged { $0.first == $1.first && $0.second == $1.second }.subscribe(
            onNext: note)
        defer { subscription.dispose() }
        source.onNext(pair(1, onDeinit: { [second = pair(2)] in source.onNext(second) }))
        source.onNext(pair(2))
        #expect(log.text == "11 22")
    }

    @Test func theResultOfScan() {
        let source = PublishSubject<Pair>()
        let subscription = source.scan(pair(0)) { last, next in
            note(last)
            return next
        }
        .subscribe()
        defer { subscription.dispose() }
        source.onNext(pair(1, onDeinit: { [third = pair(3)] in source.onNext(third) }))
        source.onNext(pair(2))
        #expect(log.text == "00 11 22")
    }

    @Test func theResultOfReduce() {
        let source = PublishSubject<Pair>()
        let subscription = source.reduce(pair(0)) { last, next in
            note(last)
            return next
        }
        .subscribe(onNext: note)
        defer { subscription.dispose() }
        source.onNext(pair(1, onDeinit: { [third = pair(3)] in source.onNext(third) }))
        source.onNext(pair(2))
        source.onCompleted()
        #expect(log.text == "00 11 22 33")
    }
}
