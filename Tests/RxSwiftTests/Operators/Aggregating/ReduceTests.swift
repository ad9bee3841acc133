import RxSwift
import TestSupport
import Testing

struct ReduceTests {
    @Test func sendsTheResultAtTheEnd() {
        #expect(outcome("210:1 220:2 230|") { $0.reduce(10, accumulator: +) } == "230:13 230| (200: 230)")
    }

    @Test func sendsTheSeedWithoutAnElement() {
        #expect(outcome("230|") { $0.reduce(10, accumulator: +) } == "230:10 230| (200: 230)")
    }

    @Test func transformsTheResult() {
        #expect(
            outcome("210:1 220:2 230|") { $0.reduce(0, accumulator: +) { "sum\($0)" } } == "230:sum3 230| (200: 230)")
    }

    @Test func dropsTheResultWithAnError() {
        #expect(outcome("210:1 220!") { $0.reduce(10, accumulator: +) } == "220! (200: 220)")
    }

    @Test func endsWithWhatTheClosuresThrow() {
        #expect(
            outcome("210:1 220:2 230|") { $0.reduce(0) { try passing($1, unless: 2, $0 + $1) } } == "220!b (200: 220)")
        let mapped = outcome("210:1 230|") { $0.reduce(0, accumulator: +) { try passing($0, unless: 1, $0) } }
        #expect(mapped == "230!b (200: 230)")
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
