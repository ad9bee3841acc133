import RxSwift
import TestSupport
import Testing

struct SkipWhileTests {
    @Test func elementsPassFromFirstThatFailsPredicate() {
        outcome("--1-3-1-|") { $0.skip(while: { $0 < 3 }) }.expect("----3-1-|", subscribed: "^-------!")
    }

    @Test func predicateIsNotCalledAfterFirstFailure() {
        let log = Log()
        _ = Observable.range(start: 1, count: 4).skip(while: {
            log($0); return $0 < 2
        }).subscribe()
        #expect(log.text == "1 2")
    }

    @Test func errorDuringSkipIsForwarded() {
        outcome("--1-#") { $0.skip(while: { _ in true }) }.expect("----#", subscribed: "^---!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.skip(while: { try passing($0, unless: 2, true) }) }
            .expect("----#", error: TestError.b, subscribed: "^---!")
    }

    @Test func doesNotCallTheClosureOnceDisposed() {
        let (subject, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        subscription.disposable =
            subject
            .do(onNext: { _ in subscription.dispose() })
            .skip(while: { number in
                log(number)
                return true
            })
            .subscribe()
        subject.onNext(1)
        #expect(log.text == "")
    }
}
