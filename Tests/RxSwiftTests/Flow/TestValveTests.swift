import RxSwift
import RxTest
import TestSupport
import Testing

struct TestValveTests {
    @Test func aSourceThatIsToldLetsWhatIsBelowGoWithTheDisposal() {
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
}
