import RxSwiftExt
import TestSupport
import Testing

struct FilterMapTests {
    @Test func elementsAreReplacedOrLeftOut() {
        let result = outcome("{10}1{9}2{9}3{9}|") { $0.filterMap { $0 == 2 ? .ignore : .map("\($0)!") } }
        result.expect("{10}a{19}b{9}|", values: ["a": "1!", "b": "3!"], subscribed: "^{39}!")
    }

    @Test func nilIsAResult() {
        outcome("{10}1{9}2") { $0.filterMap { $0 == 1 ? .map(Int?.none) : .ignore } }.expect(
            "{10}a", values: ["a": nil], subscribed: "^{799}!")
    }

    @Test func aThrownErrorEndsIt() {
        outcome("{10}1{9}2") { $0.filterMap { .map(try passing($0, unless: 2, $0)) } }.expect(
            "{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }
}
