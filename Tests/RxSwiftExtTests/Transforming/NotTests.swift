import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct NotTests {
    @Test func eachElementIsNegated() {
        outcome("{10}1{9}2{9}|") { $0.map { $0 == 1 }.not() }.expect(
            "{10}a{9}b{9}|", values: ["a": false, "b": true], subscribed: "^{29}!")
    }

    @Test func eachElementOfASharedSequenceIsNegated() {
        shared("{10}1{9}2") { $0.map { $0 == 1 }.asDriver(onErrorJustReturn: true).not() }.expect(
            "{11}a{9}b", values: ["a": false, "b": true])
    }
}
