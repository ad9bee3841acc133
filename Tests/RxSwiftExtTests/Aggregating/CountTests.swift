import RxSwiftExt
import TestSupport
import Testing

struct CountTests {
    @Test func elementsAreCounted() {
        #expect(outcome("210:7 220:8 230|") { $0.count() } == "230:2 230| (200: 230)")
        #expect(outcome("230|") { $0.count() } == "230:0 230| (200: 230)")
        #expect(outcome("210:7 230!") { $0.count() } == "230! (200: 230)")
    }

    @Test func whatSatisfiesThePredicateIsCounted() {
        #expect(outcome("210:7 220:8 230|") { $0.count { $0 > 7 } } == "230:1 230| (200: 230)")
        #expect(outcome("210:7 220:8 230|") { $0.count { try passing($0, unless: 8, true) } } == "220!b (200: 220)")
    }
}
