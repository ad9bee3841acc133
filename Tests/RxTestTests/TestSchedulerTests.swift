import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TestSchedulerTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func startUsesTheDefaults() {
        let made = Log()
        let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(1000, 3), .next(1010, 4)])
        let observer = scheduler.start { () -> TestableObservable<Int> in
            made(scheduler.clock)
            return source
        }
        #expect(made.text == "100")
        #expect(source.subscriptions == [Subscription(200, 1000)])
        // Scheduled before the disposal at the same time, so it comes before it.
        #expect(observer.events == [.next(210, 2), .next(1000, 3)])
        #expect(TestScheduler.Defaults.created == 100)
        #expect(TestScheduler.Defaults.subscribed == 200)
        #expect(TestScheduler.Defaults.disposed == 1000)
    }

    @Test func startDisposesWhenTold() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        #expect(scheduler.start(disposed: 215) { source }.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(200, 215)])
    }

    @Test func startTakesAllThreeTimes() {
        let source = scheduler.createColdObservable([.next(1, 1), .next(20, 2)])
        #expect(scheduler.start(created: 10, subscribed: 20, disposed: 30) { source }.events == [.next(21, 1)])
        #expect(source.subscriptions == [Subscription(20, 30)])
    }

    @Test func aSequenceIsMadeWhenItIsSubscribedToAtTheLatest() {
        let source = scheduler.createColdObservable([.next(1, 1)])
        #expect(scheduler.start(created: 100, subscribed: 50, disposed: 60) { source }.events == [.next(51, 1)])
        #expect(source.subscriptions == [Subscription(50, 60)])
    }

    @Test func aSubscriptionThatBeginsAfterItsDisposalEndsAtOnce() {
        let source = scheduler.createColdObservable([.next(0, 1), .next(1, 2)])
        _ = scheduler.start(created: 100, subscribed: 300, disposed: 200) { source }
        #expect(source.subscriptions == [Subscription(300, 300)])
    }

    @Test func anEventMadeBeforeTheDisposalOfTheSameTimeIsSeen() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
        #expect(scheduler.start(disposed: 220) { source }.events == [.next(210, 1), .next(220, 2)])
    }

    @Test func anEventMadeAfterTheDisposalOfTheSameTimeIsNotSeen() {
        #expect(
            scheduler.start(disposed: 220) { scheduler.createHotObservable([.next(210, 1), .next(220, 2)]) }.events == [
                .next(210, 1)
            ])
    }

    @Test func theClockIsLateWhenItStartsLate() {
        let scheduler = TestScheduler(initialClock: 50)
        let log = Log()
        for time in [10, 60] { scheduler.scheduleAt(time) { log(scheduler.clock) } }
        scheduler.start()
        #expect(log.text == "50 60")
    }

    @Test func resolutionIsTheLengthOfAStep() {
        let fine = TestScheduler(initialClock: 20, resolution: 0.1)
        #expect(fine.now.timeIntervalSince1970 == 2)
        let converter = TestScheduler(initialClock: 0, resolution: 10)
        let log = Log()
        _ = converter.scheduleRelative((), dueTime: .seconds(50)) {
            log(converter.clock)
            return Disposables.create()
        }
        converter.start()
        #expect(log.text == "5")
    }

    @Test(arguments: [(true, "5 6"), (false, "5 5")])
    func whatIsScheduledForNowRunsOneStepLaterUnlessWorkTakesNoTime(delays: Bool, times: String) {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: delays)
        let log = Log()
        scheduler.scheduleAt(5) {
            log(scheduler.clock)
            _ = scheduler.schedule(()) {
                log(scheduler.clock)
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(log.text == times)
    }

    @Test func aSchedulerThatNeverRunsIsFreed() {
        let tracker = LifetimeTracker()
        do {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(10, tracker.make())])
            _ = source.recordedEvents
        }
        #expect(tracker.live == 0)
    }
}
