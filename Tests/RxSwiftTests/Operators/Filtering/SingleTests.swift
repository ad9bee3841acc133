import RxSwift
import TestSupport
import Testing

struct SingleTests {
    @Test func sendsTheOneElement() {
        outcome("{10}1{9}|") { $0.single() }.expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func failsAtTheSecond() {
        outcome("{10}1{9}2{9}3") { $0.single() }.expect(
            "{10}1{9}#", error: RxError.moreThanOneElement, subscribed: "^{19}!")
    }

    @Test func failsWithoutAny() {
        outcome("{20}|") { $0.single() }.expect("{20}#", error: RxError.noElements, subscribed: "^{19}!")
    }

    @Test func countsWhatSatisfiesThePredicate() {
        outcome("{10}1{9}2{9}3{9}|") { $0.single { $0 == 2 } }.expect("{20}2{19}|", subscribed: "^{39}!")
        outcome("{10}1{29}|") { $0.single { $0 == 2 } }.expect("{40}#", error: RxError.noElements, subscribed: "^{39}!")
    }

    @Test func endsWithWhatTheClosureThrows() {
        outcome("{10}1{9}2") { $0.single { try passing($0, unless: 2, true) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }
}
