import RxSwift
import TestSupport
import Testing

struct MapTests {
    @Test func transformsEachElement() {
        #expect(outcome("210:1 220:2 230|") { $0.map { $0 * 10 } } == "210:10 220:20 230| (200: 230)")
    }

    @Test func passesAnErrorOn() {
        #expect(outcome("210:1 220!") { $0.map { $0 } } == "210:1 220! (200: 220)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(outcome("210:1 220:2 230:3") { $0.map { try passing($0, unless: 2, $0) } } == "210:1 220!b (200: 220)")
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
