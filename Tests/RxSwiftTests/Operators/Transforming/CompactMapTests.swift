import RxSwift
import TestSupport
import Testing

struct CompactMapTests {
    @Test func leavesOutWhatHasNoResult() {
        outcome("{10}1{9}2{9}3{9}|") { $0.compactMap { $0 == 2 ? nil : $0 * 10 } }.expect(
            "{10}a{19}b{9}|", values: ["a": 10, "b": 30], subscribed: "^{39}!")
    }

    @Test func handsAnErrorOn() {
        outcome("{10}1{9}#") { $0.compactMap { $0 } }.expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func endsWithWhatTheClosureThrows() {
        outcome("{10}1{9}2{9}3") { $0.compactMap { try passing($0, unless: 2, $0) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }
}
