import RxSwift
import TestSupport
import Testing

struct ReduceTests {
    @Test func sendsTheResultAtTheEnd() {
        outcome("{10}1{9}2{9}|") { $0.reduce(10, accumulator: +) }.expect(
            "{30}(a|)", values: ["a": 13], subscribed: "^{29}!")
    }

    @Test func sendsTheSeedWithoutAnElement() {
        outcome("{30}|") { $0.reduce(10, accumulator: +) }.expect("{30}(a|)", values: ["a": 10], subscribed: "^{29}!")
    }

    @Test func transformsTheResult() {
        outcome("{10}1{9}2{9}|") { $0.reduce(0, accumulator: +) { "sum\($0)" } }.expect(
            "{30}(a|)", values: ["a": "sum3"], subscribed: "^{29}!")
    }

    @Test func dropsTheResultWithAnError() {
        outcome("{10}1{9}#") { $0.reduce(10, accumulator: +) }.expect("{20}#", subscribed: "^{19}!")
    }

    @Test func endsWithWhatTheClosuresThrow() {
        outcome("{10}1{9}2{9}|") { $0.reduce(0) { try passing($1, unless: 2, $0 + $1) } }.expect(
            "{20}#", error: TestError.b, subscribed: "^{19}!")
        let mapped = outcome("{10}1{19}|") { $0.reduce(0, accumulator: +) { try passing($0, unless: 1, $0) } }
        mapped.expect("{30}#", error: TestError.b, subscribed: "^{29}!")
    }

    @Test func takesAMillionElementsOnASmallStack() throws {
        let sum = try runOnThread(stackSize: 512 << 10) {
            var result = 0
            _ = Observable.range(start: 1, count: 1_000_000).reduce(0, accumulator: +).subscribe(onNext: { result = $0 }
            )
            return result
        }
        #expect(sum == 500_000_500_000)
    }
}
