import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwiftExt

struct RetryTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func retrying(_ behavior: RepeatBehavior, shouldRetry: RetryPredicate? = nil) -> String {
        let source = scheduler.cold("10:1 20!")
        let scheduler = scheduler
        let observer = scheduler.start { source.retry(behavior, scheduler: scheduler, shouldRetry: shouldRetry) }
        return "\(observer.marble) \(source.subscribed)"
    }

    @Test func atOnce() {
        #expect(retrying(.immediate(maxCount: 3)) == "210:1 230:1 250:1 260! (200: 220) (220: 240) (240: 260)")
    }

    @Test(arguments: [0, 1] as [UInt]) func theFirstTakesPlaceInAnyCase(maxCount: UInt) {
        #expect(retrying(.immediate(maxCount: maxCount)) == "210:1 220! (200: 220)")
    }

    @Test func afterTheSamePause() {
        #expect(retrying(.delayed(maxCount: 3, time: 5)) == "210:1 235:1 260:1 270! (200: 220) (225: 245) (250: 270)")
    }

    @Test func afterPausesThatGrow() {
        let text = retrying(.exponentialDelayed(maxCount: 4, initial: 10, multiplier: 1))
        #expect(text == "210:1 240:1 280:1 340:1 350! (200: 220) (230: 250) (270: 290) (330: 350)")
    }

    @Test func afterCalculatedPauses() {
        let log = Log()
        let text = retrying(
            .customTimerDelayed(maxCount: 4) { count in
                log(count)
                return count == 2 ? .never : .seconds(Int(count) * 10)
            })
        #expect(text == "210:1 240:1 260:1 310:1 320! (200: 220) (230: 250) (250: 270) (300: 320)")
        #expect(log.text == "1 2 3")
    }

    @Test func thePredicateEndsIt() {
        let log = Log()
        let text = retrying(.immediate(maxCount: 10)) { error in
            log(error)
            return log.entries.count < 2
        }
        #expect(text == "210:1 230:1 240! (200: 220) (220: 240)")
        #expect(log.text == "a a")
    }

    @Test func aCompletionEndsIt() {
        let source = scheduler.cold("10:1 20|")
        let scheduler = scheduler
        #expect(scheduler.start { source.retry(.immediate(maxCount: 3), scheduler: scheduler) }.marble == "210:1 220|")
    }

    @Test func disposalEndsAPause() {
        let source = scheduler.cold("10!")
        let scheduler = scheduler
        let observer = scheduler.start(disposed: 220) {
            source.retry(.delayed(maxCount: 3, time: 50), scheduler: scheduler)
        }
        #expect(observer.marble == "")
        #expect(source.subscribed == "(200: 210)")
    }

    @Test func eachSubscriptionCountsOnItsOwn() {
        let source = Observable<Int>.just(1).concat(Observable.error(TestError.a)).retry(.immediate(maxCount: 2))
        #expect(seen(source) == "1 1 error(a)")
        #expect(seen(source) == "1 1 error(a)")
    }

    @Test func pausesBeyondMeasureAreNoTrap() {
        #expect(retrying(.delayed(maxCount: 2, time: -1)).hasPrefix("210:1 231:1 241!"))
        #expect(RepeatBehavior.delayed(maxCount: 2, time: .infinity).pause(after: 1) == .milliseconds(.max))
        #expect(RepeatBehavior.delayed(maxCount: 2, time: .nan).pause(after: 1) == .milliseconds(.max))
        #expect(RepeatBehavior.delayed(maxCount: 2, time: -.infinity).pause(after: 1) == .milliseconds(0))
        #expect(
            RepeatBehavior.exponentialDelayed(maxCount: 2, initial: 1, multiplier: 9).pause(after: 400)
                == .milliseconds(.max))
    }

    @Test func manySubscriptionsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            var count = 0
            _ = Observable<Int>.error(TestError.a).do(onSubscribe: { count += 1 }).retry(.immediate(maxCount: 100_000))
                .subscribe(onError: { _ in })
            return count
        }
        #expect(count == 100_000)
    }
}
