import RxOperators
import TestSupport
import Testing

struct ReduceFromFirstTests {
    @Test func reduceFromFirstCompletedSendsResult() {
        outcome("-1-2-3-|") { $0.reduce(accumulator: -) }
            .expect("-------(r|)", values: ["r": -4], subscribed: "^------!")
        outcome("-4-|") { $0.reduce(accumulator: -) }.expect("---(4|)", subscribed: "^--!")
    }

    @Test func reduceFromFirstEmptySourceCompletesEmpty() {
        outcome("---|") { $0.reduce(accumulator: +) }.expect("---|", subscribed: "^--!")
    }

    @Test func reduceFromFirstErrorDropsResult() {
        outcome("-1-2-#") { $0.reduce(accumulator: +) }.expect("-----#", subscribed: "^----!")
        outcome("-1-2-|") { $0.reduce { try passing($1, unless: 2, $0) } }
            .expect("---#", error: TestError.b, subscribed: "^--!")
    }

    @Test func reduceFromFirstElementsAreNilCountsThemAsElements() {
        let source = Observable<Int?>.of(nil, 1)
        #expect(seen(source.reduce { ($0 ?? 10) + ($1 ?? 20) }.map { $0! }) == "11 completed")
    }
}
