import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwiftExt

struct RetryTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func retrying(_ behavior: RepeatBehavior, shouldRetry: RetryPredicate? = nil) -> Outcome<Int> {
        let source = scheduler.cold("{10}1{9}#")
        let scheduler = scheduler
        let observer = scheduler.start { source.retry(behavior, scheduler: scheduler, shouldRetry: shouldRetry) }
        return Outcome(observer, source)
    }

    @Test func atOnce() {
        retrying(.immediate(maxCount: 3))
            .expect("{10}1{19}1{19}1{9}#", subscribed: "^{19}!", "{20}^{19}!", "{40}^{19}!")
    }

    @Test(arguments: [0, 1] as [UInt]) func firstAttemptHappensWithAnyMaxCount(maxCount: UInt) {
        retrying(.immediate(maxCount: maxCount)).expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func afterTheSamePause() {
        retrying(.delayed(maxCount: 3, time: 5))
            .expect("{10}1{24}1{24}1{9}#", subscribed: "^{19}!", "{25}^{19}!", "{50}^{19}!")
    }

    @Test func afterPausesThatGrow() {
        let result = retrying(.exponentialDelayed(maxCount: 4, initial: 10, multiplier: 1))
        result.expect("{10}1{29}1{39}1{59}1{9}#", subscribed: "^{19}!", "{30}^{19}!", "{70}^{19}!", "{130}^{19}!")
    }

    @Test func afterCalculatedPauses() {
        let log = Log()
        let result = retrying(
            .customTimerDelayed(maxCount: 4) { count in
                log(count)
                return count == 2 ? .never : .seconds(Int(count) * 10)
            })
        result.expect("{10}1{29}1{19}1{49}1{9}#", subscribed: "^{19}!", "{30}^{19}!", "{50}^{19}!", "{100}^{19}!")
        #expect(log.text == "1 2 3")
    }

    @Test func thePredicateEndsIt() {
        let log = Log()
        let result = retrying(.immediate(maxCount: 10)) { error in
            log(error)
            return log.entries.count < 2
        }
        result.expect("{10}1{19}1{9}#", subscribed: "^{19}!", "{20}^{19}!")
        #expect(log.text == "a a")
    }

    @Test func thePredicateIsNotAskedAfterTheLastAttempt() {
        let log = Log()
        _ = retrying(.immediate(maxCount: 2)) { _ in
            log("asked")
            return true
        }
        #expect(log.text == "asked")
    }

    @Test func aCompletionEndsIt() {
        let source = scheduler.cold("{10}1{9}|")
        let scheduler = scheduler
        scheduler.start { source.retry(.immediate(maxCount: 3), scheduler: scheduler) }.expect("{10}1{9}|")
    }

    @Test func disposalEndsAPause() {
        let source = scheduler.cold("{10}#")
        let scheduler = scheduler
        let observer = scheduler.start(disposed: 220) {
            source.retry(.delayed(maxCount: 3, time: 50), scheduler: scheduler)
        }
        observer.expect("")
        source.expectSubscriptions("^{9}!")
    }

    @Test func eachSubscriptionCountsOnItsOwn() {
        let source = Observable<Int>.just(1).concat(Observable.error(TestError.a)).retry(.immediate(maxCount: 2))
        #expect(seen(source) == "1 1 error(a)")
        #expect(seen(source) == "1 1 error(a)")
    }

    @Test func pauseIsRoundedDownToMilliseconds() {
        #expect(RepeatBehavior.delayed(maxCount: 2, time: 0.0019).pause(after: 1) == .milliseconds(1))
    }

    @Test func pausesBeyondMeasureAreNoTrap() {
        retrying(.delayed(maxCount: 2, time: -1)).expect("{10}1{20}1{9}#", subscribed: "^{19}!", "{21}^{19}!")
        #expect(RepeatBehavior.delayed(maxCount: 2, time: .infinity).pause(after: 1) == .milliseconds(.max))
        #expect(RepeatBehavior.delayed(maxCount: 2, time: .nan).pause(after: 1) == .milliseconds(.max))
        #expect(RepeatBehavior.delayed(maxCount: 2, time: -.infinity).pause(after: 1) == .milliseconds(0))
        #expect(
            RepeatBehavior.exponentialDelayed(maxCount: 2, initial: 1, multiplier: 9).pause(after: 400)
                == .milliseconds(.max))
    }

    @Test(arguments: [1, 648, 1_025, .max] as [UInt]) func exponentialPauseFromZeroStaysZero(count: UInt) {
        let behavior = RepeatBehavior.exponentialDelayed(maxCount: .max, initial: 0, multiplier: 1)
        #expect(behavior.pause(after: count) == .milliseconds(0))
    }

    @Test func manySubscriptionsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            nonisolated(unsafe) var count = 0
            _ = Observable<Int>.error(TestError.a).do(onSubscribe: { count += 1 }).retry(.immediate(maxCount: 100_000))
                .subscribe(onError: { _ in })
            return count
        }
        #expect(count == 100_000)
    }
}
