import RxSwift
import TestSupport
import Testing

struct MapTests {
    @Test func transformsEachElement() {
        outcome("--1-2-|") { $0.map { $0 * 10 } }
            .expect("--a-b-|", values: ["a": 10, "b": 20], subscribed: "^-----!")
    }

    @Test func sourceErrorIsForwarded() {
        outcome("--1-#") { $0.map { $0 } }.expect("--1-#", subscribed: "^---!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2-3") { $0.map { try passing($0, unless: 2, $0) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func doesNotCallTheClosureOnceDisposed() {
        let (subject, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        subscription.disposable =
            subject
            .do(onNext: { _ in subscription.dispose() })
            .map { log($0) }
            .subscribe()
        subject.onNext(1)
        #expect(log.text == "")
    }
}
