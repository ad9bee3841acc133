import RxSwift
import TestSupport
import Testing

struct ScanTests {
    @Test func sendsEachResult() {
        #expect(
            outcome("210:1 220:2 230:3 240|") { $0.scan(10, accumulator: +) } == "210:11 220:13 230:16 240| (200: 240)")
    }

    @Test func doesNotSendTheSeed() {
        #expect(outcome("240|") { $0.scan(10, accumulator: +) } == "240| (200: 240)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(
            outcome("210:1 220:2 230:3") { $0.scan(0) { try passing($1, unless: 2, $0 + $1) } }
                == "210:1 220!b (200: 220)")
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
