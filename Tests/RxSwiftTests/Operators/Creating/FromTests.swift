import RxSwift
import RxTest
import TestSupport
import Testing

struct FromTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func sendsTheElementsInOrder() {
        #expect(seen(Observable.of(1, 2, 3)) == "1 2 3 completed")
        #expect(seen(Observable.from([1, 2, 3])) == "1 2 3 completed")
        #expect(seen(Observable.from(stride(from: 1, through: 5, by: 2))) == "1 3 5 completed")
        #expect(seen(Observable<Int>.from([])) == "completed")
    }

    @Test func everyEventIsAnActionOfTheScheduler() {
        scheduler.start { Observable.of(1, 2, scheduler: scheduler) }.expect("-12|")
    }

    @Test func anOptionalIsOneElementOrNone() {
        #expect(seen(Observable.from(optional: 1)) == "1 completed")
        #expect(seen(Observable<Int>.from(optional: nil)) == "completed")
    }

    @Test func anOptionalOnASchedulerIsOneElementOrNone() {
        scheduler.start { Observable.from(optional: 1, scheduler: scheduler) }.expect("-1|")
    }

    @Test func nilOnASchedulerIsOneAction() {
        scheduler.start { Observable<Int>.from(optional: nil, scheduler: scheduler) }.expect("-|")
    }

    @Test func sourcesOfOneSubscriptionTakeTurns() {
        #expect(seen(Observable.merge(.of(1, 2, 3), .of(4, 5, 6))) == "1 4 2 5 3 6 completed")
    }

    @Test func eachSubscriptionMakesAnIterator() {
        let source = Observable.from(1...2)
        #expect(seen(source.concat(source)) == "1 2 1 2 completed")
    }

    @Test func anEndlessSequenceEndsWithItsSubscription() {
        #expect(seen(Observable.from(sequence(first: 1) { $0 * 2 }).take(3)) == "1 2 4 completed")
        #expect(seen(Observable.repeatElement(7).take(3)) == "7 7 7 completed")
    }

    @Test func eachRepetitionIsAnActionOfTheScheduler() {
        scheduler.start { Observable.repeatElement(7, scheduler: scheduler).take(2) }.expect("-7(7|)")
    }

    @Test func theIteratorIsFreedAtTheEnd() {
        let tracker = LifetimeTracker()
        var elements: [LifetimeTracker.Tracked]? = [tracker.make(), tracker.make()]
        let subscription = Observable.from(elements!).subscribe()
        elements = nil
        #expect(tracker.live == 0)
        subscription.dispose()
    }
}
