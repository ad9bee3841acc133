import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct IgnoreErrorsTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func anErrorSubscribesAgain() {
        let source = scheduler.cold("10:1 300!")
        #expect(scheduler.start { source.ignoreErrors() }.marble == "210:1 510:1 810:1")
        #expect(source.subscribed == "(200: 500) (500: 800) (800: 1000)")
    }

    @Test func thePredicateSaysWhichErrors() {
        let source = scheduler.cold("10:1 300!")
        let log = Log()
        let observer = scheduler.start {
            source.ignoreErrors { error in
                log(error)
                return log.entries.count < 2
            }
        }
        #expect(observer.marble == "210:1 510:1 800!")
        #expect(log.text == "a a")
    }

    @Test func aCompletionEndsIt() {
        let source = scheduler.cold("10:1 20|")
        #expect(scheduler.start { source.ignoreErrors { _ in true } }.marble == "210:1 220|")
    }
}
