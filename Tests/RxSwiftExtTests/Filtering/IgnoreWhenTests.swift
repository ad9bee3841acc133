import RxSwiftExt
import TestSupport
import Testing

struct IgnoreWhenTests {
    @Test func whatSatisfiesThePredicateIsLeftOut() {
        #expect(outcome("210:1 220:2 230:3 240|") { $0.ignoreWhen { $0 > 1 } } == "210:1 240| (200: 240)")
        #expect(
            outcome("210:1 220:2") { $0.ignoreWhen { try passing($0, unless: 2, false) } } == "210:1 220!b (200: 220)")
    }
}
