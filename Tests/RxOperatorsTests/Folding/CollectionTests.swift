import RxOperators
import TestSupport
import Testing

struct CollectionTests {
    @Test func toSetCompletedSendsEachElementOnce() {
        outcome("-1-2-1-|") { $0.toSet() }.expect("-------(s|)", values: ["s": [1, 2]], subscribed: "^------!")
        outcome("---|") { $0.toSet() }.expect("---(s|)", values: ["s": []], subscribed: "^--!")
        outcome("-1-#") { $0.toSet() }.expect("---#", subscribed: "^--!")
    }

    @Test func toDictionaryCompletedSendsLastElementOfEachKey() {
        outcome("-1-2-3-|") { $0.toDictionary(keySelector: { $0 % 2 }) }
            .expect("-------(d|)", values: ["d": [1: 3, 0: 2]], subscribed: "^------!")
        outcome("---|") { $0.toDictionary(keySelector: { $0 }) }
            .expect("---(d|)", values: ["d": [:]], subscribed: "^--!")
    }

    @Test func toDictionaryValueSelectorMakesValues() {
        outcome("-1-2-|") { $0.toDictionary(keySelector: { "\($0)" }, valueSelector: { -$0 }) }
            .expect("-----(d|)", values: ["d": ["1": -1, "2": -2]], subscribed: "^----!")
    }

    @Test func toDictionaryErrorDropsElements() {
        outcome("-1-#") { $0.toDictionary(keySelector: { $0 }) }.expect("---#", subscribed: "^--!")
        outcome("-1-2-|") { $0.toDictionary(keySelector: { try passing($0, unless: 2, $0) }) }
            .expect("---#", error: TestError.b, subscribed: "^--!")
        outcome("-1-2-|") { $0.toDictionary(keySelector: { $0 }, valueSelector: { try passing($0, unless: 2, $0) }) }
            .expect("---#", error: TestError.b, subscribed: "^--!")
    }

    @Test func groupedCompletedSendsElementsOfEachKeyInOrder() {
        outcome("-3-2-1-|") { $0.grouped(by: { $0 % 2 }) }
            .expect("-------(d|)", values: ["d": [1: [3, 1], 0: [2]]], subscribed: "^------!")
        outcome("---|") { $0.grouped(by: { $0 }) }.expect("---(d|)", values: ["d": [:]], subscribed: "^--!")
    }

    @Test func groupedErrorDropsElements() {
        outcome("-1-#") { $0.grouped(by: { $0 }) }.expect("---#", subscribed: "^--!")
        outcome("-1-2-|") { $0.grouped(by: { try passing($0, unless: 2, $0) }) }
            .expect("---#", error: TestError.b, subscribed: "^--!")
    }
}
