import RxSwift
import TestSupport
import Testing

struct FilterTests {
    @Test func passesWhatTheClosureLikes() {
        outcome("{10}1{9}2{9}3{9}|") { $0.filter { $0 != 2 } }.expect("{10}1{19}3{9}|", subscribed: "^{39}!")
    }

    @Test func passesAnErrorOn() {
        outcome("{10}1{9}#") { $0.filter { _ in false } }.expect("{20}#", subscribed: "^{19}!")
    }

    @Test func endsWithWhatTheClosureThrows() {
        outcome("{10}1{9}2") { $0.filter { try passing($0, unless: 2, true) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }
}
