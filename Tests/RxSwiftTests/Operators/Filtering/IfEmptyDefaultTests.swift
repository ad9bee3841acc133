import RxSwift
import TestSupport
import Testing

struct IfEmptyDefaultTests {
    @Test func sendsTheDefaultWhereThereIsNoElement() {
        outcome("{20}|") { $0.ifEmpty(default: 7) }.expect("{20}(7|)", subscribed: "^{19}!")
    }

    @Test func sendsOnlyTheElementsWhereThereAreAny() {
        outcome("{10}1{9}|") { $0.ifEmpty(default: 7) }.expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func handsAnErrorOn() {
        outcome("{20}#") { $0.ifEmpty(default: 7) }.expect("{20}#", subscribed: "^{19}!")
    }
}
