import RxSwift
import TestSupport
import Testing

struct CompactMapTests {
    @Test func leavesOutWhatHasNoResult() {
        #expect(
            outcome("210:1 220:2 230:3 240|") { $0.compactMap { $0 == 2 ? nil : $0 * 10 } }
                == "210:10 230:30 240| (200: 240)")
    }

    @Test func handsAnErrorOn() {
        #expect(outcome("210:1 220!") { $0.compactMap { $0 } } == "210:1 220! (200: 220)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(
            outcome("210:1 220:2 230:3") { $0.compactMap { try passing($0, unless: 2, $0) } }
                == "210:1 220!b (200: 220)")
    }
}
