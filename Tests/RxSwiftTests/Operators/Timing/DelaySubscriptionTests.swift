import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DelaySubscriptionTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func theSourceIsSubscribedLater() {
        let source = scheduler.cold("{10}1{9}|")
        scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }.expect("{40}1{9}|")
        source.expectSubscriptions("{30}^{19}!")
    }

    @Test func disposedBeforeItNeverSubscribes() {
        let source = scheduler.cold("{10}1")
        scheduler.start(disposed: 220) { source.delaySubscription(.seconds(30), scheduler: scheduler) }.expect("")
        source.expectSubscriptions()
    }

    @Test func delaySubscriptionBelowDisposedSubscribeOnNeverSubscribes() {
        let (source, lower) = (scheduler.cold("1"), TestScheduler(initialClock: 0))
        let subscription = source.delaySubscription(.seconds(30), scheduler: scheduler).subscribe(on: lower)
            .subscribe()
        lower.start()
        subscription.dispose()
        scheduler.start()
        source.expectSubscriptions()
        lower.start()
    }

    @Test func aDisposalAfterwardsReachesTheSource() {
        let source = scheduler.cold("{10}1{9}2")
        scheduler.start(disposed: 245) { source.delaySubscription(.seconds(30), scheduler: scheduler) }.expect("{40}1")
        source.expectSubscriptions("{30}^{14}!")
    }

    private func order(_ source: Observable<Int>) -> String {
        let log = Log()
        let delayed = source.noteLifetime(in: log, as: "source").delaySubscription(.seconds(30), scheduler: scheduler)
        _ = delayed.noteLifetime(in: log, as: "below").take(2).note(in: log)
        scheduler.start()
        return log.text
    }

    @Test func adoptedTeardownRunsInItsPlace() {
        #expect(order(scheduler.cold("{10}1{9}|").asObservable()) == "below+ source+ 1 completed source- below-")
        #expect(order(scheduler.cold("{10}1{9}2").asObservable()) == "below+ source+ 1 2 completed source- below-")
    }

    @Test func synchronousSourceTeardownRunsLast() {
        #expect(order(.of(1)) == "below+ source+ 1 completed below- source-")
        #expect(order(.of(1, 2, 3)) == "below+ source+ 1 2 completed below- source-")
    }

    @Test func sourceLoopEndsWithDisposalDuringSubscribe() {
        #expect(order(.repeatElement(1)) == "below+ source+ 1 1 completed below- source-")
    }

    @Test func delaySubscriptionWithTeardownBelowSourceReleasedLivesUntilDisposal() {
        let (log, tracker) = (Log(), LifetimeTracker())
        var source: PublishSubject<Int>? = PublishSubject()
        let subscription = source!.delaySubscription(.seconds(5), scheduler: scheduler)
            .noteLifetime(in: log, as: "below").subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        scheduler.start()
        source = nil
        #expect(log.text == "below+" && tracker.live == 1)
        subscription.dispose()
        #expect(log.text == "below+ below-" && tracker.live == 0)
    }

    @Test func upstreamHasThePipelineBound() {
        let made = Guarded(0)
        let subscription = Observable.range(start: 0, count: 100).do(onNext: { _ in made.withLock { $0 += 1 } })
            .concatMap { _ in Observable<Int>.never() }
            .delaySubscription(.seconds(5), scheduler: scheduler).bounded(2).subscribe()
        scheduler.start()
        #expect((1...4).contains(made.withLock { $0 }))
        subscription.dispose()
    }

    @Test func anErrorOfTheSourceIsPassedOnAndDisposesOfIt() {
        let source = scheduler.cold("{10}1{9}#")
        scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }
            .expect("{40}1{9}#", error: TestError.a)
        source.expectSubscriptions("{30}^{19}!")
    }
}
