import RxSwift
import RxTest
import TestSupport
import Testing

struct JustTests {
    @Test func sendsItsElementAndEnds() {
        #expect(seen(Observable.just(1)) == "1 completed")
    }

    @Test func sendsItOnTheScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        #expect(scheduler.start { Observable.just(1, scheduler: scheduler) }.marble == "201:1 202|")
    }
}
