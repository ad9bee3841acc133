import RxSwift
import TestSupport
import Testing

struct ScanTests {
    @Test func sendsEachResult() {
        outcome("{10}1{9}2{9}3{9}|") { $0.scan(10, accumulator: +) }.expect(
            "{10}a{9}b{9}c{9}|", values: ["a": 11, "b": 13, "c": 16], subscribed: "^{39}!")
    }

    @Test func doesNotSendTheSeed() {
        outcome("{40}|") { $0.scan(10, accumulator: +) }.expect("{40}|", subscribed: "^{39}!")
    }

    @Test func endsWithWhatTheClosureThrows() {
        outcome("{10}1{9}2{9}3") { $0.scan(0) { try passing($1, unless: 2, $0 + $1) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }

    @Test func accumulatesAnewForEachSubscription() {
        let sums = Observable.range(start: 1, count: 2).scan(0, accumulator: +)
        let log = Log()
        for _ in 0..<2 { _ = sums.subscribe(onNext: { log($0) }) }
        #expect(log.text == "1 3 1 3")
    }

    @Test func accumulatesWhatTheObserverMakesTheSourceSend() {
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
