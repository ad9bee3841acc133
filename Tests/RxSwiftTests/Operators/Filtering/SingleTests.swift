import RxSwift
import TestSupport
import Testing

struct SingleTests {
    @Test func sendsTheOneElement() {
        #expect(outcome("210:1 220|") { $0.single() } == "210:1 220| (200: 220)")
    }

    @Test func failsAtTheSecond() {
        #expect(
            outcome("210:1 220:2 230:3") { $0.single() }
                == "210:1 220!Sequence contains more than one element. (200: 220)")
    }

    @Test func failsWithoutAny() {
        #expect(outcome("220|") { $0.single() } == "220!Sequence doesn't contain any elements. (200: 220)")
    }

    @Test func countsWhatSatisfiesThePredicate() {
        #expect(outcome("210:1 220:2 230:3 240|") { $0.single { $0 == 2 } } == "220:2 240| (200: 240)")
        #expect(
            outcome("210:1 240|") { $0.single { $0 == 2 } } == "240!Sequence doesn't contain any elements. (200: 240)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(outcome("210:1 220:2") { $0.single { try passing($0, unless: 2, true) } } == "210:1 220!b (200: 220)")
    }
}
