import RxSwift
import RxTest
import TestSupport
import Testing

struct JustTests {
    @Test func sendsItsElementAndEnds() {
        #expect(seen(Observable.just(1)) == "1 completed")
    }

    @Test func hasEndedBeforeItsSubscriptionIsReturned() {
        let log = Log()
        let subscription = Observable.just(1).subscribe(
            onNext: { log($0) }, onError: { log($0) }, onCompleted: { log("completed") },
            onDisposed: { log("disposed") })
        #expect(log.text == "1 completed disposed")
        #expect((subscription as? any Cancelable)?.isDisposed == true)
        subscription.dispose()
        #expect(log.text == "1 completed disposed")
    }

    @Test func elementAndCompletionAreTwoActionsOfScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.start { Observable.just(1, scheduler: scheduler) }.expect("-1|")
    }
}
