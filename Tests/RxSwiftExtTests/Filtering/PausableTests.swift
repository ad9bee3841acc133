import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct PausableTests {
    private func pausing(_ source: String, _ pauser: String) -> String {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot(source)
        let pauser = scheduler.hot(pauser)
        let observer = scheduler.start { source.pausable(pauser.map { $0 == 1 }) }
        return "\(observer.marble) \(source.subscribed) \(pauser.subscribed)"
    }

    @Test func elementsPassWhileThePauserSaysTrue() {
        let text = pausing("210:1 220:2 230:3 240:4 250|", "215:1 225:1 235:0")
        #expect(text == "220:2 230:3 250| (200: 250) (200: 250)")
    }

    @Test func thePausersLastWordStays() {
        #expect(pausing("210:1 220:2 250|", "205:1 215|") == "210:1 220:2 250| (200: 250) (200: 215)")
    }

    @Test func eitherErrorEndsIt() {
        #expect(pausing("210:1 220!", "205:1") == "210:1 220! (200: 220) (200: 220)")
        #expect(pausing("210:1 230:2", "205:1 220!") == "210:1 220! (200: 220) (200: 220)")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).pausable(Observable.just(true))) == "nil Optional(1) completed")
    }
}
