import RxSwiftExt
import TestSupport
import Testing

struct MapManyTests {
    @Test func eachMemberIsTransformed() {
        outcome("--2-0-|") { $0.map { 0..<$0 }.mapMany { $0 * 10 } }
            .expect("--a-b-|", values: ["a": [0, 10], "b": []], subscribed: "^-----!")
    }

    @Test func aThrownErrorEndsIt() {
        let result = outcome("--1-3-1") { $0.map { 0..<$0 }.mapMany { try passing($0, unless: 2, $0) } }
        result.expect("--a-#", values: ["a": [0]], error: TestError.b, subscribed: "^---!")
    }
}
