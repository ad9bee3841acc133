import RxSwift
import TestSupport
import Testing

struct ElementAtTests {
    @Test func sendsTheOneAndCompletes() {
        #expect(outcome("210:1 220:2 230:3") { $0.element(at: 1) } == "220:2 220| (200: 220)")
        #expect(outcome("210:1 220:2 230:3") { $0.element(at: 0) } == "210:1 210| (200: 210)")
    }

    @Test func failsWhereTheSourceIsTooShort() {
        #expect(outcome("210:1 220|") { $0.element(at: 1) } == "220!Argument out of range. (200: 220)")
    }

    @Test func handsAnErrorOnBeforeThat() {
        #expect(outcome("210:1 220!") { $0.element(at: 1) } == "220! (200: 220)")
    }
}
