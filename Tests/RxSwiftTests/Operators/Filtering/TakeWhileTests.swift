import RxSwift
import TestSupport
import Testing

struct TakeWhileTests {
    @Test func completesWithTheFirstThatDoesNotSatisfy() {
        outcome("--1-3-1") { $0.take(while: { $0 < 3 }) }.expect("--1-|", subscribed: "^---!")
    }

    @Test func inclusiveBehaviorSendsDecidingElement() {
        let result = outcome("--1-3-1") { $0.take(while: { $0 < 3 }, behavior: .inclusive) }
        result.expect("--1-(3|)", subscribed: "^---!")
    }

    @Test func endsWithTheSourceBeforeThat() {
        outcome("--1-|") { $0.take(while: { $0 < 3 }) }.expect("--1-|", subscribed: "^---!")
        outcome("--1-#") { $0.take(while: { $0 < 3 }) }.expect("--1-#", subscribed: "^---!")
    }

    @Test func closureErrorEndsSequence() {
        outcome("--1-2") { $0.take(while: { try passing($0, unless: 2, true) }) }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
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
        outcome("--1-3-1") { $0.take(until: { $0 == 3 }) }.expect("--1-|", subscribed: "^---!")
    }

    @Test func inclusiveBehaviorSendsDecidingElement() {
        let result = outcome("--1-3-1") { $0.take(until: { $0 == 3 }, behavior: .inclusive) }
        result.expect("--1-(3|)", subscribed: "^---!")
    }

    @Test func elementWithPredicateThatEndsTheSequenceIsDropped() {
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
