import RxSwiftExt
import TestSupport
import Testing

struct IgnoreWhenTests {
    @Test func whatSatisfiesThePredicateIsLeftOut() {
        outcome("{10}1{9}2{9}3{9}|") { $0.ignoreWhen { $0 > 1 } }.expect("{10}1{29}|", subscribed: "^{39}!")
        outcome("{10}1{9}2") { $0.ignoreWhen { try passing($0, unless: 2, false) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }
}
