import RxOperators
import TestSupport
import Testing

struct ScanFromFirstTests {
    @Test func scanFromFirstEachElementSendsResultSoFar() {
        outcome("-1-2-3-|") { $0.scan(accumulator: +) }.expect("-1-3-6-|", subscribed: "^------!")
        outcome("-1-2-3-#") { $0.scan(accumulator: +) }.expect("-1-3-6-#", subscribed: "^------!")
    }

    @Test func scanFromFirstAccumulatorThrowsFails() {
        outcome("-1-2-3") { $0.scan { try passing($1, unless: 3, $0 + $1) } }
            .expect("-1-3-#", error: TestError.b, subscribed: "^----!")
    }

    @Test func scanFromFirstSecondSubscriptionBeginsAgain() {
        let sums = Observable.of(1, 2).scan(accumulator: +)
        #expect(seen(sums) == "1 3 completed")
        #expect(seen(sums) == "1 3 completed")
    }
}
