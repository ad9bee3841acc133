import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct PausableTests {
    private func pausing(_ source: String, _ pauser: String) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot(source)
        let pauser = scheduler.hot(pauser)
        let observer = scheduler.start { source.pausable(pauser.map { $0 == 1 }) }
        return Outcome(observer, source, pauser)
    }

    @Test func elementsPassWhilePauserIsTrue() {
        let result = pausing("--1-2-3-4-|", "---1-1-0")
        result.expect("----2-3---|", subscribed: "^---------!", "^---------!")
    }

    @Test func lastElementOfPauserAppliesAfterItsEnd() {
        pausing("--1-2-----|", "-1-|").expect("--1-2-----|", subscribed: "^---------!", "^--!")
    }

    @Test func eitherErrorEndsIt() {
        pausing("--1-#", "-1").expect("--1-#", subscribed: "^---!", "^---!")
        pausing("--1---2", "-1--#").expect("--1-#", subscribed: "^---!", "^---!")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).pausable(Observable.just(true))) == "nil Optional(1) completed")
    }
}
