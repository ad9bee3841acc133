import RxSwiftExt
import TestSupport
import Testing

struct IgnoreTests {
    @Test func theValuesAreLeftOut() {
        #expect(outcome("210:1 220:2 230:3 240|") { $0.ignore(1, 3) } == "220:2 240| (200: 240)")
        #expect(outcome("210:1 220:2 230!") { $0.ignore(1) } == "220:2 230! (200: 230)")
    }

    @Test func theValuesMayBeAnySequence() {
        #expect(outcome("210:1 220:2 230:3 240|") { $0.ignore(2...9) } == "210:1 240| (200: 240)")
        #expect(outcome("210:1 220:2 230:3 240|") { $0.ignore(Set([1, 2])) } == "230:3 240| (200: 240)")
    }
}
