import RxSwiftExt
import TestSupport
import Testing

struct OnceTests {
    @Test func theFirstSubscriptionGetsTheElement() {
        let once = Observable.once(1)
        #expect(seen(once) == "1 completed")
        #expect(seen(once) == "completed")
    }

    @Test func nilIsAnElement() {
        let once = Observable<Int?>.once(nil)
        #expect(seen(once) == "nil completed")
        #expect(seen(once) == "completed")
    }

    @Test func deliveredElementIsFreed() {
        let tracker = LifetimeTracker()
        let once = Observable.once(tracker.make())
        #expect(tracker.live == 1)
        once.subscribe().dispose()
        #expect(tracker.live == 0)
        withExtendedLifetime(once) {}
    }

    @Test func oneThreadGetsTheElementInARace() throws {
        for _ in 0..<200 {
            let once = Observable.once(1)
            let count = Guarded(0)
            try runConcurrently(threads: 4) { _ in
                _ = once.subscribe(onNext: { _ in count.withLock { $0 += 1 } })
            }
            #expect(count.withLock { $0 } == 1)
        }
    }
}
