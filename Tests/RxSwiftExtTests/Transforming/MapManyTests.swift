import RxSwiftExt
import TestSupport
import Testing

struct MapManyTests {
    @Test func eachMemberIsTransformed() {
        outcome("{10}2{9}0{9}|") { $0.map { 0..<$0 }.mapMany { $0 * 10 } }.expect(
            "{10}a{9}b{9}|", values: ["a": [0, 10], "b": []], subscribed: "^{29}!")
    }

    @Test func aThrownErrorEndsIt() {
        let result = outcome("{10}1{9}3{9}1") { $0.map { 0..<$0 }.mapMany { try passing($0, unless: 2, $0) } }
        result.expect("{10}a{9}#", values: ["a": [0]], error: TestError.b, subscribed: "^{19}!")
    }
}
