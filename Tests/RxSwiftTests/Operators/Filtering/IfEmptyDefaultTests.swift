import RxSwift
import TestSupport
import Testing

struct IfEmptyDefaultTests {
    @Test func sendsTheDefaultWhereThereIsNoElement() {
        #expect(outcome("220|") { $0.ifEmpty(default: 7) } == "220:7 220| (200: 220)")
    }

    @Test func sendsOnlyTheElementsWhereThereAreAny() {
        #expect(outcome("210:1 220|") { $0.ifEmpty(default: 7) } == "210:1 220| (200: 220)")
    }

    @Test func handsAnErrorOn() {
        #expect(outcome("220!") { $0.ifEmpty(default: 7) } == "220! (200: 220)")
    }
}
