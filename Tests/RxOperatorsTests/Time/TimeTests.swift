import Foundation
import RxOperators
import RxTest
import TestSupport
import Testing

struct TimeTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func timeIntervalElementsHaveTheTimeSinceTheLastOne() {
        let result = outcome("{5}1{3}2|", on: scheduler) { [scheduler] in
            $0.timeInterval(scheduler: scheduler).map { "\($0.element) after \($0.interval)" }
        }
        let (five, four) = (RxTimeInterval.nanoseconds(5_000_000_000), RxTimeInterval.nanoseconds(4_000_000_000))
        result.expect("{5}a{3}b|", values: ["a": "1 after \(five)", "b": "2 after \(four)"], subscribed: "^{9}!")
    }

    @Test func timeIntervalErrorIsPassedOn() {
        outcome("--#", on: scheduler) { [scheduler] in $0.timeInterval(scheduler: scheduler).map(\.element) }
            .expect("--#", subscribed: "^-!")
    }

    @Test func skipLastCompletedDropsTheLastElements() {
        outcome("-1-2-3-4-|") { $0.skipLast(2) }.expect("-----1-2-|", subscribed: "^--------!")
        outcome("-1-2-|") { $0.skipLast(0) }.expect("-1-2-|", subscribed: "^----!")
        outcome("-1-2-|") { $0.skipLast(3) }.expect("-----|", subscribed: "^----!")
        outcome("-1-2-3-4-5-6-7-#") { $0.skipLast(3) }.expect("-------1-2-3-4-#", subscribed: "^--------------!")
    }

    @Test func skipLastNegativeCountStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).skipLast(-1)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("count can't be negative (skipLast, count: -1)"))
    }

    private func skipping(_ source: String, _ span: RxTimeInterval = .seconds(5)) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        return outcome(source, on: scheduler) { $0.skipLast(for: span, scheduler: scheduler) }
    }

    @Test func skipLastForElementsOldEnoughAreSentWithTheNextEvent() {
        skipping("-1-2-----3-|").expect("---------(12)-|", subscribed: "^----------!")
        skipping("-1----|").expect("------(1|)", subscribed: "^-----!")
        skipping("-1---|").expect("-----|", subscribed: "^----!")
    }

    @Test func skipLastForObserverPushesKeepsTheOrder() {
        let (scheduler, source, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
        let subscription = source.skipLast(for: .seconds(5), scheduler: scheduler).subscribe(onNext: { element in
            log(element)
            guard element == 1 else { return }
            scheduler.advanceTo(20)
            source.onNext(4)
        })
        for time in [1, 2] {
            scheduler.scheduleAt(time) { source.onNext(time) }
        }
        scheduler.advanceTo(8)
        source.onNext(3)
        subscription.dispose()
        #expect(log.text == "1 2 3")
    }

    @Test func skipLastForErrorDropsWaitingElements() {
        skipping("-1--------#").expect("----------#", subscribed: "^---------!")
    }

    @Test func skipLastForNeverSendsNothing() {
        skipping("-1{500}2-|", .never).expect("--{500}--|", subscribed: "^{503}!")
    }

    private func taking(_ source: String, _ span: RxTimeInterval = .seconds(5)) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        return outcome(source, on: scheduler) { $0.takeLast(for: span, scheduler: scheduler) }
    }

    @Test func takeLastForCompletedSendsTheNewestElements() {
        taking("-1-2-----3-4-|").expect("-------------(34|)", subscribed: "^------------!")
        taking("-1----|").expect("------|", subscribed: "^-----!")
        taking("-1---|").expect("-----(1|)", subscribed: "^----!")
        taking("-1-{500}|", .never).expect("---{500}(1|)", subscribed: "^{502}!")
    }

    @Test func takeLastForErrorDropsElements() {
        taking("-1-#").expect("---#", subscribed: "^--!")
    }

    @Test func takeLastForOldElementsAreReleasedWhenTheNextOneComes() {
        let (tracker, source) = (LifetimeTracker(), PublishSubject<LifetimeTracker.Tracked>())
        let subscription = source.takeLast(for: .seconds(5), scheduler: scheduler).subscribe()
        for time in 0..<20 {
            scheduler.scheduleAt(time) { source.onNext(tracker.make(time)) }
        }
        scheduler.start()
        #expect(tracker.live == 5)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test(arguments: [(30, "{30}(0|)"), (0, "-(0|)"), (-30, "-(0|)")])
    func timerAtDateSendsAtThatDate(seconds: Int, expected: String) {
        let date = scheduler.now.addingTimeInterval(200 + Double(seconds))
        scheduler.start { [scheduler] in Observable<Int>.timer(at: date, scheduler: scheduler) }.expect(expected)
    }

    @Test func timerAtDateFarAwaySendsNothing() {
        scheduler.start { [scheduler] in Observable<Int>.timer(at: .distantFuture, scheduler: scheduler) }.expect("")
    }
}
