import RxOperators
import TestSupport
import Testing

struct MaxTests {
    @Test func maxCompletedSendsElement() {
        outcome("-2-1-3-2-|") { $0.max() }.expect("---------(3|)", subscribed: "^--------!")
    }

    @Test func maxEmptySourceCompletesEmpty() {
        outcome("---|") { $0.max() }.expect("---|", subscribed: "^--!")
    }

    @Test func maxErrorIsPassedOn() {
        outcome("-2-#") { $0.max() }.expect("---#", subscribed: "^--!")
        outcome("-2-1-|") { $0.max(by: { try passing($0 + $1, unless: 3, true) }) }
            .expect("---#", error: TestError.b, subscribed: "^--!")
    }

    @Test func maxByOrderDecides() {
        outcome("-2-1-3-2-|") { $0.max(by: >) }.expect("---------(1|)", subscribed: "^--------!")
    }

    @Test func maxByEqualElementsSendsTheFirst() {
        let words = Observable.of("bb", "a", "cc", "d")
        #expect(seen(words.max { $0.count < $1.count }.asObservable()) == "bb completed")
    }
}
