import RxOperators
import TestSupport
import Testing

struct BufferTests {
    private func text(_ elements: [Int]) -> String { elements.map(String.init).joined(separator: "+") }

    @Test func bufferCountSkipSmallerThanCountOverlaps() {
        outcome("-1-2-3-|") { $0.buffer(count: 2, skip: 1).map(text) }
            .expect("---a-b-(c|)", values: ["a": "1+2", "b": "2+3", "c": "3"], subscribed: "^------!")
    }

    @Test func bufferCountWithoutSkipFollowsOn() {
        outcome("-1-2-3-|") { $0.buffer(count: 2).map(text) }
            .expect("---a---(b|)", values: ["a": "1+2", "b": "3"], subscribed: "^------!")
    }

    @Test func bufferCountSkipGreaterThanCountDropsElementsBetween() {
        outcome("-1-2-3-4-5-|") { $0.buffer(count: 2, skip: 3).map(text) }
            .expect("---a-----b-|", values: ["a": "1+2", "b": "4+5"], subscribed: "^----------!")
    }

    @Test func bufferCountSkipCompletedSendsAllIncompleteArrays() {
        outcome("-1-2-|") { $0.buffer(count: 3, skip: 1).map(text) }
            .expect("-----(ab|)", values: ["a": "1+2", "b": "2"], subscribed: "^----!")
    }

    @Test func bufferCountSkipErrorDropsIncompleteArrays() {
        outcome("-1-2-3-#") { $0.buffer(count: 2, skip: 2).map(text) }
            .expect("---a---#", values: ["a": "1+2"], subscribed: "^------!")
    }

    @Test func bufferCountLessThanOneStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).buffer(count: 0, skip: 1)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("count must be at least 1 (buffer, count: 0)"))
    }

    @Test func bufferSkipLessThanOneStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).buffer(count: 1, skip: 0)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("skip must be at least 1 (buffer, skip: 0)"))
    }

    @Test func bufferUntilArrayEndsWithTheElementThatSatisfiesThePredicate() {
        outcome("-1-0-0-2-|") { $0.buffer(until: { $0 == 0 }).map(text) }
            .expect("---a-b---(c|)", values: ["a": "1+0", "b": "0", "c": "2"], subscribed: "^--------!")
        outcome("-1-0-|") { $0.buffer(until: { $0 == 0 }).map(text) }
            .expect("---a-|", values: ["a": "1+0"], subscribed: "^----!")
    }

    @Test func bufferUntilErrorDropsTheIncompleteArray() {
        outcome("-1-#") { $0.buffer(until: { $0 == 0 }).map(text) }.expect("---#", subscribed: "^--!")
    }

    @Test func bufferUntilPredicateThrowsFails() {
        outcome("-1-2-|") { $0.buffer(until: { try passing($0, unless: 2, true) }).map(text) }
            .expect("-a-#", values: ["a": "1"], error: TestError.b, subscribed: "^--!")
    }

    @Test func bufferWhileSeparatorsAreDroppedAndNoArrayIsEmpty() {
        outcome("-0-1-2-0-0-3-|") { $0.buffer(while: { $0 > 0 }).map(text) }
            .expect("-------a-----(b|)", values: ["a": "1+2", "b": "3"], subscribed: "^------------!")
        outcome("-0-|") { $0.buffer(while: { $0 > 0 }).map(text) }.expect("---|", subscribed: "^--!")
    }

    @Test func bufferWhileErrorDropsTheIncompleteArray() {
        outcome("-1-#") { $0.buffer(while: { $0 > 0 }).map(text) }.expect("---#", subscribed: "^--!")
    }
}
