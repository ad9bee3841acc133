import RxSwift
import TestSupport
import Testing

struct IgnoreElementsTests {
    @Test func handsOnlyTheEndOn() {
        #expect(outcome("210:1 220:2 230|") { $0.ignoreElements() } == "230| (200: 230)")
        #expect(outcome("210:1 220!") { $0.ignoreElements() } == "220! (200: 220)")
    }
}
