import RxSwift
import TestSupport
import Testing

struct ElementAtTests {
    @Test func sendsTheOneAndCompletes() {
        outcome("{10}1{9}2{9}3") { $0.element(at: 1) }.expect("{20}(2|)", subscribed: "^{19}!")
        outcome("{10}1{9}2{9}3") { $0.element(at: 0) }.expect("{10}(1|)", subscribed: "^{9}!")
    }

    @Test func failsWhereTheSourceIsTooShort() {
        outcome("{10}1{9}|") { $0.element(at: 1) }.expect(
            "{20}#", error: RxError.argumentOutOfRange, subscribed: "^{19}!")
    }

    @Test func handsAnErrorOnBeforeThat() {
        outcome("{10}1{9}#") { $0.element(at: 1) }.expect("{20}#", subscribed: "^{19}!")
    }
}
