import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DelaySubscriptionTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func theSourceIsSubscribedLater() {
        let source = scheduler.cold("10:1 20|")
        #expect(scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }.marble == "240:1 250|")
        #expect(source.subscribed == "(230: 250)")
    }

    @Test func disposedBeforeItNeverSubscribes() {
        let source = scheduler.cold("10:1")
        #expect(scheduler.start(disposed: 220) { source.delaySubscription(.seconds(30), scheduler: scheduler) }.marble == "")
        #expect(source.subscribed == "")
    }

    @Test func aDisposalAfterwardsReachesTheSource() {
        let source = scheduler.cold("10:1 20:2")
        #expect(scheduler.start(disposed: 245) { source.delaySubscription(.seconds(30), scheduler: scheduler) }.marble == "240:1")
        #expect(source.subscribed == "(230: 245)")
    }

    @Test func whatTheSourceHasAdoptedIsTornDownInItsPlace() {
        let log = Log()
        let source = Observable.of(1).noteLifetime(in: log, as: "source")
        _ = source.delaySubscription(.seconds(30), scheduler: scheduler).noteLifetime(in: log, as: "below").note(in: log)
        scheduler.start()
        #expect(log.text == "below+ source+ 1 completed source- below-")
    }

    @Test func anErrorOfTheSourceIsPassedOnAndDisposesOfIt() {
        let source = scheduler.cold("10:1 20!")
        #expect(scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }.marble == "240:1 250!")
        #expect(source.subscribed == "(230: 250)")
    }
}
