import RxSwift
import TestSupport
import Testing

struct SingleTests {
    @Test func singleSendsOnlyElement() {
        outcome("--1-|") { $0.single() }.expect("--1-|", subscribed: "^---!")
    }

    @Test func failsAtTheSecond() {
        outcome("--1-2-3") { $0.single() }
            .expect("--1-#", error: RxError.moreThanOneElement, subscribed: "^---!")
    }

    @Test func failsWithoutAny() {
        outcome("----|") { $0.single() }.expect("----#", error: RxError.noElements, subscribed: "^---!")
    }

    @Test func errorAfterElementIsForwarded() {
        outcome("--1-#") { $0.single() }.expect("--1-#", error: TestError.a, subscribed: "^---!")
    }

    @Test func singleCountsElementsThatSatisfyPredicate() {
        outcome("--1-2-3-|") { $0.single { $0 == 2 } }.expect("----2---|", subscribed: "^-------!")
        outcome("--1-----|") { $0.single { $0 == 2 } }
            .expect("--------#", error: RxError.noElements, subscribed: "^-------!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.single { try passing($0, unless: 2, true) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }
}
