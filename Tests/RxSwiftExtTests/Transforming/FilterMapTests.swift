import RxSwiftExt
import TestSupport
import Testing

struct FilterMapTests {
    @Test func elementsAreReplacedOrLeftOut() {
        let result = outcome("--1-2-3-|") { $0.filterMap { $0 == 2 ? .ignore : .map("\($0)!") } }
        result.expect("--a---b-|", values: ["a": "1!", "b": "3!"], subscribed: "^-------!")
    }

    @Test func nilIsAResult() {
        outcome("--1-2") { $0.filterMap { $0 == 1 ? .map(Int?.none) : .ignore } }
            .expect("--a", values: ["a": nil], subscribed: "^{799}!")
    }

    @Test func aThrownErrorEndsIt() {
        outcome("--1-2") { $0.filterMap { .map(try passing($0, unless: 2, $0)) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }
}
