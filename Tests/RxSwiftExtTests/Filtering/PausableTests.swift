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

    @Test func elementsPassWhileThePauserSaysTrue() {
        let result = pausing("{10}1{9}2{9}3{9}4{9}|", "{15}1{9}1{9}0")
        result.expect("{20}2{9}3{19}|", subscribed: "^{49}!", "^{49}!")
    }

    @Test func thePausersLastWordStays() {
        pausing("{10}1{9}2{29}|", "-----1{9}|").expect("{10}1{9}2{29}|", subscribed: "^{49}!", "^{14}!")
    }

    @Test func eitherErrorEndsIt() {
        pausing("{10}1{9}#", "-----1").expect("{10}1{9}#", subscribed: "^{19}!", "^{19}!")
        pausing("{10}1{19}2", "-----1{14}#").expect("{10}1{9}#", subscribed: "^{19}!", "^{19}!")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).pausable(Observable.just(true))) == "nil Optional(1) completed")
    }
}
