import RxSwift
import RxTest
import TestSupport
import Testing

struct TestValveTests {
    @Test func listeningSourceFreesDownstreamOnDisposal() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let observer = Guarded<AnyObserver<Int>?>(nil)
        let source = Observable<Int>.listening(on: scheduler) { made in
            observer.withLock { $0 = made }
            return (Disposables.create(), { _ in })
        }
        let subscription = source.subscribe(onNext: { [held = tracker.make()] _ in withExtendedLifetime(held) {} })
        #expect(tracker.live == 1)
        subscription.dispose()
        withExtendedLifetime(observer) { #expect(tracker.live == 0) }
    }

    @Test func sourceSubscribedAboveClosedValveIsPaused() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let valve = TestValve(on: scheduler)
        valve.set(isPaused: true)
        let subscription = valve.above(Observable.of(1, 2)).note(in: log)
        scheduler.start()
        #expect(log.text == "")
        valve.set(isPaused: false)
        scheduler.start()
        #expect(log.text == "1 2 completed")
        subscription.dispose()
    }

    @Test func listeningSourceIsDisposedWithSubscription() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let observer = Guarded<AnyObserver<Int>?>(nil)
        let source = Observable<Int>.listening(on: scheduler) { made in
            observer.withLock { $0 = made }
            return (Disposables.create { log("disposed") }, { _ in })
        }
        source.subscribe().dispose()
        withExtendedLifetime(observer) { #expect(log.text == "disposed") }
    }
}
