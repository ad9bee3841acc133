import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ThrottleTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, _ span: Int, latest: Bool = true) -> String {
        let source = scheduler.hot(source)
        let observer = scheduler.start { source.throttle(.seconds(span), latest: latest, scheduler: scheduler) }
        return "\(observer.marble) \(source.subscribed)"
    }

    @Test func itSendsTheFirstElementAndThenTheLatestOfEachSpan() {
        #expect(result("210:1 215:2 225:3 229:4 300:5 350|", 20) == "210:1 230:4 300:5 350| (200: 350)")
    }

    @Test func withoutLatestWhatComesWithinASpanIsDropped() {
        #expect(result("210:1 215:2 225:3 229:4 300:5 350|", 20, latest: false) == "210:1 300:5 350| (200: 350)")
    }

    @Test func theCompletionWaitsForTheLatestElement() {
        #expect(result("210:1 215:2 220|", 20) == "210:1 230:2 230| (200: 220)")
        #expect(ThrottleTests().result("210:1 215:2 220|", 20, latest: false) == "210:1 220| (200: 220)")
    }

    @Test func anErrorDropsTheLatestElement() {
        #expect(result("210:1 215:2 220!", 20) == "210:1 220! (200: 220)")
    }

    @Test func anElementAtTheEndOfASpanTakesThePlaceOfTheOneThatWaits() {
        #expect(result("210:1 211:2 230:3 231:4 251:5 280|", 20) == "210:1 230:3 250:4 270:5 280| (200: 280)")
    }

    @Test func aSpanBeginsWhenAnElementHasBeenDelivered() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.throttle(.seconds(5), scheduler: scheduler).subscribe(onNext: {
            log("\($0)@\(scheduler.clock)")
            scheduler.sleep(4)
        })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.sleep(3)
        source.onNext(2)
        scheduler.start()
        #expect(log.text == "1@0 2@9")
    }

    @Test func aSpanOfZeroLetsAllPass() {
        #expect(result("210:1 211:2 212|", 0) == "210:1 211:2 212| (200: 212)")
    }

    /// A `Date` near the beginning of virtual time is exact to a tenth of a microsecond only.
    @Test(arguments: [0.1, 0.01, 0.001]) func aSpanIsOverAtItsEndHoweverFineTheClock(resolution: Double) {
        let fine = TestScheduler(initialClock: 0, resolution: resolution)
        let events: [Recorded<Event<Int>>] = (0..<70).map { .next(201 + 10 * $0, $0) }
        let span = RxTimeInterval.milliseconds(Int((10_000 * resolution).rounded()))
        let observer = fine.start { fine.createHotObservable(events).throttle(span, scheduler: fine) }
        #expect(observer.events == events)
    }

    @Test func aSpanThatNeverEndsSendsOneElement() {
        let source = PublishSubject<Int>()
        let log = Log()
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "throttle")
        let subscription = source.throttle(.never, scheduler: queue).subscribe(onNext: { log("\($0)") })
        defer { subscription.dispose() }
        for element in 1...3 { source.onNext(element) }
        #expect(log.text == "1")
    }

    @Test func whatItKeepsIsFreedAtTheDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.throttle(.seconds(5), scheduler: scheduler).subscribe()
        for _ in 0..<3 { source.onNext(tracker.make()) }
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }
}
