import RxSwift
import TestSupport
import Testing

struct TakeWhileTests {
    @Test func completesWithTheFirstThatDoesNotSatisfy() {
        #expect(outcome("210:1 220:3 230:1") { $0.take(while: { $0 < 3 }) } == "210:1 220| (200: 220)")
    }

    @Test func sendsThatOneTooWhereAsked() {
        let text = outcome("210:1 220:3 230:1") { $0.take(while: { $0 < 3 }, behavior: .inclusive) }
        #expect(text == "210:1 220:3 220| (200: 220)")
    }

    @Test func endsWithTheSourceBeforeThat() {
        #expect(outcome("210:1 220|") { $0.take(while: { $0 < 3 }) } == "210:1 220| (200: 220)")
        #expect(outcome("210:1 220!") { $0.take(while: { $0 < 3 }) } == "210:1 220! (200: 220)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(
            outcome("210:1 220:2") { $0.take(while: { try passing($0, unless: 2, true) }) } == "210:1 220!b (200: 220)")
    }

    @Test func doesNotAskAfterTheEnd() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        _ = subject.take(
            while: {
                log("?\($0)"); return $0 < 2
            }, behavior: .inclusive
        ).subscribe(onNext: {
            log($0)
            if $0 == 2 { subject.onNext(3) }
        })
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "?1 1 ?2 2")
    }
}

struct TakeUntilPredicateTests {
    @Test func completesWithTheFirstThatSatisfies() {
        #expect(outcome("210:1 220:3 230:1") { $0.take(until: { $0 == 3 }) } == "210:1 220| (200: 220)")
    }

    @Test func sendsThatOneTooWhereAsked() {
        let text = outcome("210:1 220:3 230:1") { $0.take(until: { $0 == 3 }, behavior: .inclusive) }
        #expect(text == "210:1 220:3 220| (200: 220)")
    }

    @Test func anElementWhosePredicateMakesTheSourceEndItIsDropped() {
        let source = PublishSubject<Int>()
        let log = Log()
        let passing = source.take(while: { number in
            if number == 1 { source.onNext(9) }
            return number < 5
        })
        let subscription = Observable.merge(passing, .never()).subscribe(onNext: { log($0) })
        defer { subscription.dispose() }
        source.onNext(0)
        source.onNext(1)
        #expect(log.text == "0")
    }
}
