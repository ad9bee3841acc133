import RxOperators
import TestSupport
import Testing

struct MinTests {
    @Test func minCompletedSendsElement() {
        outcome("-2-1-3-2-|") { $0.min() }.expect("---------(1|)", subscribed: "^--------!")
    }

    @Test func minEmptySourceCompletesEmpty() {
        outcome("---|") { $0.min() }.expect("---|", subscribed: "^--!")
    }

    @Test func minErrorIsPassedOn() {
        outcome("-2-#") { $0.min() }.expect("---#", subscribed: "^--!")
        outcome("-2-1-|") { $0.min(by: { try passing($0 + $1, unless: 3, true) }) }
            .expect("---#", error: TestError.b, subscribed: "^--!")
    }

    @Test func minByOrderDecides() {
        outcome("-2-1-3-2-|") { $0.min(by: >) }.expect("---------(3|)", subscribed: "^--------!")
    }

    @Test func minByEqualElementsSendsTheFirst() {
        let words = Observable.of("bb", "a", "cc", "d")
        #expect(seen(words.min { $0.count < $1.count }.asObservable()) == "a completed")
    }
}
