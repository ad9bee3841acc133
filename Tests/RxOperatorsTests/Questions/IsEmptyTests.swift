import RxOperators
import TestSupport
import Testing

struct IsEmptyTests {
    @Test func isEmptyCompletedWithoutElementSendsTrue() {
        outcome("---|") { $0.isEmpty() }.expect("---(t|)", values: ["t": true], subscribed: "^--!")
    }

    @Test func isEmptyElementSendsFalseAndDisposesOfSource() {
        outcome("--1-2-|") { $0.isEmpty() }.expect("--(f|)", values: ["f": false], subscribed: "^-!")
    }

    @Test func isEmptyErrorIsPassedOn() {
        outcome("---#") { $0.isEmpty() }.expect("---#", subscribed: "^--!")
    }
}
