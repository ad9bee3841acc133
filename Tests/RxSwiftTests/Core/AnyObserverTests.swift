import RxSwift
import TestSupport
import Testing

struct AnyObserverTests {
    private let log = Log()

    @Test func forwardsEachEventToItsHandlerAlsoAfterTheEnd() {
        let observer = AnyObserver<Int> { [log] in log($0) }
        observer.onNext(1)
        observer.onCompleted()
        observer.onNext(2)
        observer.onError(TestError.a)
        #expect(log.text == "next(1) completed next(2) error(a)")
    }

    @Test func forwardsToAnObserver() {
        let subject = PublishSubject<Int>()
        let subscription = subject.note(in: log)
        let observer = AnyObserver(subject)
        observer.onNext(1)
        observer.onCompleted()
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func observerOfAnyObserverForwards() {
        AnyObserver(AnyObserver<Int> { [log] in log($0) }).asObserver().onNext(1)
        #expect(log.text == "next(1)")
    }

    @Test func mapObserverMapsElements() {
        let observer: AnyObserver<String> = AnyObserver<Int> { [log] in log($0) }.mapObserver { Int($0) ?? -1 }
        observer.onNext("4")
        observer.onNext("x")
        observer.onCompleted()
        #expect(log.text == "next(4) next(-1) completed")
    }

    @Test func mapObserverSendsThrownError() {
        let observer: AnyObserver<String> = AnyObserver<Int> { [log] in log($0) }.mapObserver { _ in throw TestError.b }
        observer.onNext("4")
        #expect(log.text == "error(b)")
    }

    @Test func observerHoldsItsHandler() {
        let tracker = LifetimeTracker()
        var observer: AnyObserver<Int>?
        do {
            let held = tracker.make()
            observer = AnyObserver { [held] _ in _ = held }
        }
        #expect(tracker.live == 1)
        withExtendedLifetime(observer) {}
        observer = nil
        #expect(tracker.live == 0)
    }
}
