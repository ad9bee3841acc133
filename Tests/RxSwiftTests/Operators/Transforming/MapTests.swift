import RxSwift
import TestSupport
import Testing

struct MapTests {
    @Test func transformsEachElement() {
        outcome("{10}1{9}2{9}|") { $0.map { $0 * 10 } }.expect(
            "{10}a{9}b{9}|", values: ["a": 10, "b": 20], subscribed: "^{29}!")
    }

    @Test func passesAnErrorOn() {
        outcome("{10}1{9}#") { $0.map { $0 } }.expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func endsWithWhatTheClosureThrows() {
        outcome("{10}1{9}2{9}3") { $0.map { try passing($0, unless: 2, $0) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
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
