import Dispatch
import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct RepeatWithBehaviorTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func repeating(_ behavior: RepeatBehavior, shouldRepeat: RepeatPredicate? = nil) -> String {
        let source = scheduler.cold("10:1 20|")
        let scheduler = scheduler
        let observer = scheduler.start {
            source.repeatWithBehavior(behavior, scheduler: scheduler, shouldRepeat: shouldRepeat)
        }
        return "\(observer.marble) \(source.subscribed)"
    }

    @Test func atOnce() {
        #expect(repeating(.immediate(maxCount: 3)) == "210:1 230:1 250:1 260| (200: 220) (220: 240) (240: 260)")
    }

    @Test(arguments: [0, 1] as [UInt]) func theFirstTakesPlaceInAnyCase(maxCount: UInt) {
        #expect(repeating(.immediate(maxCount: maxCount)) == "210:1 220| (200: 220)")
    }

    @Test func afterTheSamePause() {
        #expect(repeating(.delayed(maxCount: 3, time: 5)) == "210:1 235:1 260:1 270| (200: 220) (225: 245) (250: 270)")
    }

    @Test func afterPausesThatGrow() {
        let text = repeating(.exponentialDelayed(maxCount: 4, initial: 10, multiplier: 1))
        #expect(text == "210:1 240:1 280:1 340:1 350| (200: 220) (230: 250) (270: 290) (330: 350)")
    }

    @Test func afterCalculatedPauses() {
        let log = Log()
        let text = repeating(
            .customTimerDelayed(maxCount: 3) { count in
                log(count)
                return .seconds(Int(count) * 10)
            })
        #expect(text == "210:1 240:1 280:1 290| (200: 220) (230: 250) (270: 290)")
        #expect(log.text == "1 2")
    }

    @Test func thePredicateEndsIt() {
        var rest = 1
        let text = repeating(.immediate(maxCount: 10)) {
            rest -= 1
            return rest >= 0
        }
        #expect(text == "210:1 230:1 240| (200: 220) (220: 240)")
    }

    @Test func anErrorEndsIt() {
        let source = scheduler.cold("10:1 20!")
        let scheduler = scheduler
        #expect(
            scheduler.start { source.repeatWithBehavior(.immediate(maxCount: 3), scheduler: scheduler) }.marble
                == "210:1 220!")
    }

    @Test func disposalEndsAPause() {
        let source = scheduler.cold("10|")
        let scheduler = scheduler
        let observer = scheduler.start(disposed: 220) {
            source.repeatWithBehavior(.delayed(maxCount: 3, time: 50), scheduler: scheduler)
        }
        #expect(observer.marble == "")
        #expect(source.subscribed == "(200: 210)")
    }

    @Test func eachSubscriptionCountsOnItsOwn() {
        let source = Observable.just(1).repeatWithBehavior(.immediate(maxCount: 2))
        #expect(seen(source) == "1 1 completed")
        #expect(seen(source) == "1 1 completed")
    }

    @Test func manySubscriptionsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            var count = 0
            _ = Observable.just(1).repeatWithBehavior(.immediate(maxCount: 100_000)).subscribe(onNext: { count += $0 })
            return count
        }
        #expect(count == 100_000)
    }
}
