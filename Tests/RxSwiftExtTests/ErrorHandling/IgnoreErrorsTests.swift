import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct IgnoreErrorsTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func anErrorSubscribesAgain() {
        let source = scheduler.cold("{10}1{289}#")
        scheduler.start { source.ignoreErrors() }.expect("{10}1{299}1{299}1")
        source.expectSubscriptions("^{299}!", "{300}^{299}!", "{600}^{199}!")
    }

    @Test func predicateSelectsIgnoredErrors() {
        let source = scheduler.cold("{10}1{289}#")
        let log = Log()
        let observer = scheduler.start {
            source.ignoreErrors { error in
                log(error)
                return log.entries.count < 2
            }
        }
        observer.expect("{10}1{299}1{289}#", error: TestError.a)
        #expect(log.text == "a a")
    }

    @Test func aCompletionEndsIt() {
        let source = scheduler.cold("{10}1{9}|")
        scheduler.start { source.ignoreErrors { _ in true } }.expect("{10}1{9}|")
    }
}
