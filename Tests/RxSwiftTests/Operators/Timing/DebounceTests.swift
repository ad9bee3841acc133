import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DebounceTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, _ span: Int) -> String {
        let source = scheduler.hot(source)
        let observer = scheduler.start { source.debounce(.seconds(span), scheduler: scheduler) }
        return "\(observer.marble) \(source.subscribed)"
    }

    @Test func itSendsWhatIsFollowedByNothing() {
        #expect(result("210:1 220:2 230:3 260:4 290|", 20) == "250:3 280:4 290| (200: 290)")
    }

    @Test func theCompletionSendsWhatWaits() {
        #expect(result("210:1 215:2 220|", 20) == "220:2 220| (200: 220)")
    }

    @Test func anErrorDropsWhatWaits() {
        #expect(result("210:1 215:2 220!", 20) == "220! (200: 220)")
    }

    @Test func aSpanOfZeroIsATurnOfTheScheduler() {
        #expect(result("210:1 211:2 220:3 230|", 0) == "212:2 221:3 230| (200: 230)")
    }

    @Test func aDisposalWhileTheLastElementIsDeliveredKeepsTheCompletionAway() {
        let (source, log) = (PublishSubject<Int>(), Log())
        var subscription: (any Disposable)?
        subscription = source.debounce(.seconds(1), scheduler: scheduler).subscribe(
            onNext: {
                log($0)
                subscription?.dispose()
            }, onCompleted: { log("completed") })
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "1")
    }

    @Test func itKeepsOneElementAndFreesItAtTheDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.debounce(.seconds(5), scheduler: scheduler).subscribe()
        for number in 0..<3 { source.onNext(tracker.make(number)) }
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func anElementThatIsReplacedMayComeBackToTheSourceInItsDeinit() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.debounce(.seconds(5), scheduler: scheduler).map(\.value).subscribe(observer)
        defer { subscription.dispose() }
        source.onNext(tracker.make(1, onDeinit: { source.onNext(tracker.make(3)) }))
        source.onNext(tracker.make(2))
        scheduler.start()
        #expect(observer.marble == "5:3")
    }

    /// On a clock of its own the timer sleeps on; the last element must come all the same, and only it.
    @Test func onARealSchedulerOnlyTheLastOfABurstComes() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "debounce")
        let (source, log, done) = (PublishSubject<Int>(), Log(), DispatchSemaphore(value: 0))
        let subscription = source.debounce(.milliseconds(40), scheduler: scheduler).subscribe(onNext: {
            log($0)
            // A machine that pauses within the burst makes two bursts of it.
            if $0 == 10_000 || $0 == 0 { done.signal() }
        })
        defer { subscription.dispose() }
        for element in 1...10_000 { source.onNext(element) }
        #expect(done.wait(timeout: .now() + 20) == .success)
        source.onNext(0)
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(log.entries.suffix(2) == ["10000", "0"])
    }
}
