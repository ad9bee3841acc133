import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ThrottleTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, _ span: Int, latest: Bool = true) -> Outcome<Int> {
        outcome(source, on: scheduler) { [scheduler] in
            $0.throttle(.seconds(span), latest: latest, scheduler: scheduler)
        }
    }

    @Test func itSendsTheFirstElementAndThenTheLatestOfEachSpan() {
        result("{10}1----2{9}3---4{70}5{49}|", 20).expect("{10}1{19}4{69}5{49}|", subscribed: "^{149}!")
    }

    @Test func elementsWithinSpanWithoutLatestAreDropped() {
        result("{10}1----2{9}3---4{70}5{49}|", 20, latest: false).expect("{10}1{89}5{49}|", subscribed: "^{149}!")
    }

    @Test func theCompletionWaitsForTheLatestElement() {
        result("{10}1----2----|", 20).expect("{10}1{19}(2|)", subscribed: "^{19}!")
        ThrottleTests().result("{10}1----2----|", 20, latest: false).expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func anErrorDropsTheLatestElement() {
        result("{10}1----2----#", 20).expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func elementAtSpanEndReplacesWaitingOne() {
        result("{10}12{18}34{19}5{28}|", 20).expect("{10}1{19}3{19}4{19}5{9}|", subscribed: "^{79}!")
    }

    @Test func spanBeginsAfterDelivery() {
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
        result("{10}12|", 0).expect("{10}12|", subscribed: "^{11}!")
    }

    @Test func elementDueDuringPauseArrivesAtResume() {
        let source = scheduler.hot("-12")
        let observer = scheduler.start {
            source.throttle(.seconds(3), scheduler: scheduler).paused(by: "---p---r", on: scheduler)
        }
        observer.expect("-1-----2")
    }

    @Test func elementDueDuringPauseArrivesAfterSourceEnded() {
        let source = scheduler.hot("-12|")
        scheduler.start { source.throttle(.seconds(3), scheduler: scheduler).paused(by: "---p---r", on: scheduler) }
            .expect("-1-----(2|)")
    }

    @Test func elementDueDuringPauseIsFreedAtDisposal() {
        let tracker = LifetimeTracker()
        let source = scheduler.hot("-12|").map { _ in tracker.make() }
        scheduler.scheduleAt(209) { #expect(tracker.live == 1) }
        _ = scheduler.start(disposed: 210) {
            source.throttle(.seconds(3), scheduler: scheduler).paused(by: "---p", on: scheduler).map { _ in 0 }
        }
        #expect(tracker.live == 0)
    }

    @Test(arguments: [true, false]) func nothingIsSentDuringAPause(latest: Bool) {
        let source = scheduler.hot("-1-2-3")
        scheduler.start {
            source.throttle(.seconds(1), latest: latest, scheduler: scheduler).paused(by: "--p---r", on: scheduler)
        }
        .expect(latest ? "-1----3" : "-1----2")
    }

    @Test func pauseDoesNotReachSource() {
        let source = scheduler.createPausableObservable("-12", of: Int.self)
        let observer = scheduler.start {
            source.throttle(.seconds(5), scheduler: scheduler).paused(by: "---p-r", on: scheduler)
        }
        observer.expect("-1----2")
        source.expectSignals("")
    }

    @Test(arguments: [0.1, 0.01, 0.001]) func spanEndsExactlyOnFineClock(resolution: Double) {
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

    @Test func keptElementIsFreedAtDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.throttle(.seconds(5), scheduler: scheduler).subscribe()
        for _ in 0..<3 { source.onNext(tracker.make()) }
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }
}
