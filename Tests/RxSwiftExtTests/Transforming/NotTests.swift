import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct NotTests {
    @Test func eachElementIsNegated() {
        outcome("--1-2-|") { $0.map { $0 == 1 }.not() }
            .expect("--a-b-|", values: ["a": false, "b": true], subscribed: "^-----!")
    }

    @Test func eachElementOfASharedSequenceIsNegated() {
        shared("{10}1{9}2") { $0.map { $0 == 1 }.asDriver(onErrorJustReturn: true).not() }
            .expect("{11}a{9}b", values: ["a": false, "b": true])
    }
}
