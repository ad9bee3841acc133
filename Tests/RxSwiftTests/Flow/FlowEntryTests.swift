import RxSwift
import RxTest
import TestSupport
import Testing

struct FlowEntryTests {
    /// A source that keeps its observer in what it wants to have called.
    private func source(_ tracker: LifetimeTracker, ends: Bool = false) -> Observable<Int> {
        .create(flow: { out in
            let life = tracker.make()
            out.onResume { withExtendedLifetime((life, out)) {} }
            out.onNext(1)
            if ends { out.onCompleted() }
            return Disposables.create()
        })
    }

    @Test func aCallbackIsLetGoWhenTheChainIsDisposedOf() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let subscription = source(tracker).observe(on: scheduler, buffering: .pausing(1)).subscribe()
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
        scheduler.start()
    }

    @Test func aCallbackIsLetGoAtTheEnd() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let subscription = source(tracker, ends: true).observe(on: scheduler, buffering: .pausing(1)).subscribe()
        scheduler.start()
        #expect(tracker.live == 0)
        subscription.dispose()
    }
}
