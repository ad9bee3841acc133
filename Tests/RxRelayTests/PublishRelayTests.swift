import RxRelay
import RxSwift
import TestSupport
import Testing

struct PublishRelayTests {
    private let relay = PublishRelay<Int>()
    private let log = Log()

    @Test func elementReachesCurrentObservers() {
        relay.accept(1)
        let subscription = relay.note(in: log)
        relay.accept(2)
        #expect(log.text == "2")
        subscription.dispose()
    }

    @Test func elementReachesRemainingObserversAfterDisposal() {
        relay.note(in: log, as: "a").dispose()
        let subscription = relay.asObservable().note(in: log, as: "b")
        relay.accept(1)
        #expect(log.text == "b1")
        subscription.dispose()
    }

    @Test func releasedRelayFreesObservers() {
        let tracker = LifetimeTracker()
        var (held, relay): (LifetimeTracker.Tracked?, PublishRelay<Int>?) = (tracker.make(), PublishRelay())
        let subscription = relay!.subscribe(onNext: { [held] _ in _ = held })
        held = nil
        relay = nil
        #expect(tracker.live == 0)
        subscription.dispose()
    }
}
