import RxSwift
import TestSupport
import Testing

struct ElementAtTests {
    @Test func sendsTheOneAndCompletes() {
        outcome("--1-2-3") { $0.element(at: 1) }.expect("----(2|)", subscribed: "^---!")
        outcome("--1-2-3") { $0.element(at: 0) }.expect("--(1|)", subscribed: "^-!")
    }

    @Test func failsWhereTheSourceIsTooShort() {
        outcome("--1-|") { $0.element(at: 1) }
            .expect("----#", error: RxError.argumentOutOfRange, subscribed: "^---!")
    }

    @Test func handsAnErrorOnBeforeThat() {
        outcome("--1-#") { $0.element(at: 1) }.expect("----#", subscribed: "^---!")
    }
}
