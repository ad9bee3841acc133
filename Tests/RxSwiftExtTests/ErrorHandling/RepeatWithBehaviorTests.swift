import Dispatch
import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct RepeatWithBehaviorTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func repeating(_ behavior: RepeatBehavior, shouldRepeat: RepeatPredicate? = nil) -> Outcome<Int> {
        let source = scheduler.cold("{10}1{9}|")
        let scheduler = scheduler
        let observer = scheduler.start {
            source.repeatWithBehavior(behavior, scheduler: scheduler, shouldRepeat: shouldRepeat)
        }
        return Outcome(observer, source)
    }

    @Test func atOnce() {
        repeating(.immediate(maxCount: 3))
            .expect("{10}1{19}1{19}1{9}|", subscribed: "^{19}!", "{20}^{19}!", "{40}^{19}!")
    }

    @Test(arguments: [0, 1] as [UInt]) func firstRunHappensWithAnyMaxCount(maxCount: UInt) {
        repeating(.immediate(maxCount: maxCount)).expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func afterTheSamePause() {
        repeating(.delayed(maxCount: 3, time: 5))
            .expect("{10}1{24}1{24}1{9}|", subscribed: "^{19}!", "{25}^{19}!", "{50}^{19}!")
    }

    @Test func afterPausesThatGrow() {
        let result = repeating(.exponentialDelayed(maxCount: 4, initial: 10, multiplier: 1))
        result.expect("{10}1{29}1{39}1{59}1{9}|", subscribed: "^{19}!", "{30}^{19}!", "{70}^{19}!", "{130}^{19}!")
    }

    @Test func afterCalculatedPauses() {
        let log = Log()
        let result = repeating(
            .customTimerDelayed(maxCount: 3) { count in
                log(count)
                return .seconds(Int(count) * 10)
            })
        result.expect("{10}1{29}1{39}1{9}|", subscribed: "^{19}!", "{30}^{19}!", "{70}^{19}!")
        #expect(log.text == "1 2")
    }

    @Test func thePredicateEndsIt() {
        nonisolated(unsafe) var rest = 1
        let result = repeating(.immediate(maxCount: 10)) {
            rest -= 1
            return rest >= 0
        }
        result.expect("{10}1{19}1{9}|", subscribed: "^{19}!", "{20}^{19}!")
    }

    @Test func thePredicateIsNotAskedAfterTheLastTime() {
        let log = Log()
        _ = repeating(.immediate(maxCount: 2)) {
            log("asked")
            return true
        }
        #expect(log.text == "asked")
    }

    @Test func anErrorEndsIt() {
        let source = scheduler.cold("{10}1{9}#")
        let scheduler = scheduler
        scheduler.start { source.repeatWithBehavior(.immediate(maxCount: 3), scheduler: scheduler) }
            .expect("{10}1{9}#", error: TestError.a)
    }

    @Test func disposalEndsAPause() {
        let source = scheduler.cold("{10}|")
        let scheduler = scheduler
        let observer = scheduler.start(disposed: 220) {
            source.repeatWithBehavior(.delayed(maxCount: 3, time: 50), scheduler: scheduler)
        }
        observer.expect("")
        source.expectSubscriptions("^{9}!")
    }

    @Test func eachSubscriptionCountsOnItsOwn() {
        let source = Observable.just(1).repeatWithBehavior(.immediate(maxCount: 2))
        #expect(seen(source) == "1 1 completed")
        #expect(seen(source) == "1 1 completed")
    }

    @Test func manySubscriptionsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            nonisolated(unsafe) var count = 0
            _ = Observable.just(1).repeatWithBehavior(.immediate(maxCount: 100_000)).subscribe(onNext: { count += $0 })
            return count
        }
        #expect(count == 100_000)
    }
}
