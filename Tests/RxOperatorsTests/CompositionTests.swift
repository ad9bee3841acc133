import RxOperators
import TestSupport
import Testing

struct CompositionTests {
    @Test func firstWhereAsCompositionSendsFirstMatch() {
        outcome("-1-2-3-|") { $0.filter { $0 > 1 }.take(1).asMaybe() }.expect("---(2|)", subscribed: "^--!")
        outcome("-1-|") { $0.filter { $0 > 1 }.take(1).asMaybe() }.expect("---|", subscribed: "^--!")
    }

    @Test func lastWhereAsCompositionSendsLastMatch() {
        outcome("-1-2-3-|") { $0.filter { $0 < 3 }.takeLast(1).asMaybe() }.expect("-------(2|)", subscribed: "^------!")
        outcome("-3-|") { $0.filter { $0 < 3 }.takeLast(1).asMaybe() }.expect("---|", subscribed: "^--!")
    }

    @Test func errorWhenEmptyAsCompositionFailsOnlyWithoutElements() {
        outcome("---|") { $0.ifEmpty(switchTo: .error(TestError.b)) }
            .expect("---#", error: TestError.b, subscribed: "^--!")
        outcome("-1-|") { $0.ifEmpty(switchTo: .error(TestError.b)) }.expect("-1-|", subscribed: "^--!")
    }
}
