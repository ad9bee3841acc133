import RxSwift
import TestSupport
import Testing

struct EmptyTests {
    @Test func emptyCompletes() {
        #expect(seen(Observable<Int>.empty()) == "completed")
    }

    @Test func neverIsSilentAndStaysSubscribed() {
        let log = Log()
        let subscription = Observable<Int>.never().subscribe { log($0) }
        #expect(log.text == "")
        subscription.dispose()
        #expect(log.text == "")
    }

    @Test func errorEndsWithIt() {
        #expect(seen(Observable<Int>.error(TestError.a)) == "error(a)")
    }

    @Test func neverWithTeardownLivesUntilDisposal() {
        let log = Log()
        weak var subscription: AnyObject?
        do {
            subscription = Observable<Int>.never().do(onDispose: { log("disposed") }).subscribe() as AnyObject
        }
        #expect(subscription != nil)
        (subscription as? any Disposable)?.dispose()
        #expect(log.text == "disposed")
        #expect(subscription == nil)
    }

    @Test func neverReleasesItsObserver() {
        let tracker = LifetimeTracker()
        let subscription = Observable<Int>.never().map { $0 + 1 }
            .subscribe(onNext: { [held = tracker.make()] _ in withExtendedLifetime(held) {} })
        withExtendedLifetime(subscription) { #expect(tracker.live == 0) }
        subscription.dispose()
    }
}
