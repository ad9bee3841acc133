import RxSwift
import TestSupport
import Testing

struct IgnoreElementsTests {
    @Test func handsOnlyTheEndOn() {
        outcome("{10}1{9}2{9}|") { $0.ignoreElements() }.expect("{30}|", subscribed: "^{29}!")
        outcome("{10}1{9}#") { $0.ignoreElements() }.expect("{20}#", subscribed: "^{19}!")
    }
}
