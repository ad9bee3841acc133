import RxSwift
import TestSupport
import Testing

struct FilterTests {
    @Test func passesWhatTheClosureLikes() {
        #expect(outcome("210:1 220:2 230:3 240|") { $0.filter { $0 != 2 } } == "210:1 230:3 240| (200: 240)")
    }

    @Test func passesAnErrorOn() {
        #expect(outcome("210:1 220!") { $0.filter { _ in false } } == "220! (200: 220)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(outcome("210:1 220:2") { $0.filter { try passing($0, unless: 2, true) } } == "210:1 220!b (200: 220)")
    }
}
