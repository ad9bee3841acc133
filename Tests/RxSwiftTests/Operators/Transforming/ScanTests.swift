import RxSwift
import TestSupport
import Testing

struct ScanTests {
    @Test func sendsEachResult() {
        outcome("--1-2-3-|") { $0.scan(10, accumulator: +) }
            .expect("--a-b-c-|", values: ["a": 11, "b": 13, "c": 16], subscribed: "^-------!")
    }

    @Test func doesNotSendTheSeed() {
        outcome("--------|") { $0.scan(10, accumulator: +) }.expect("--------|", subscribed: "^-------!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2-3") { $0.scan(0) { try passing($1, unless: 2, $0 + $1) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func eachSubscriptionAccumulatesSeparately() {
        let sums = Observable.range(start: 1, count: 2).scan(0, accumulator: +)
        let log = Log()
        for _ in 0..<2 { _ = sums.subscribe(onNext: { log($0) }) }
        #expect(log.text == "1 3 1 3")
    }

    @Test func elementPushedByObserverIsAccumulated() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        _ = subject.scan(0, accumulator: +).subscribe(onNext: {
            log($0)
            if $0 == 1 { subject.onNext(10) }
        })
        subject.onNext(1)
        subject.onNext(100)
        #expect(log.text == "1 11 111")
    }
}
