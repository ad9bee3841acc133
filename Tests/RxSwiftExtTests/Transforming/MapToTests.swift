import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct MapToTests {
    @Test func eachElementIsReplaced() {
        outcome("--1-2-|") { $0.mapTo("x") }.expect("--x-x-|", subscribed: "^-----!")
        outcome("--1-#") { $0.mapTo("x") }.expect("--x-#", subscribed: "^---!")
    }

    @Test func theElementOfATraitIsReplaced() {
        #expect(seen(Single.just(1).mapTo("x").asObservable()) == "x completed")
        #expect(seen(Maybe.just(1).mapTo("x").asObservable()) == "x completed")
        #expect(seen(Maybe<Int>.empty().mapTo("x").asObservable()) == "completed")
    }

    @Test func eachElementOfASharedSequenceIsReplaced() {
        shared("{10}1{9}2{9}|") { $0.asDriver(onErrorJustReturn: 9).mapTo("x") }.expect("{11}x{9}x{9}|")
        shared("{10}1{9}2{9}|") { $0.asSignal(onErrorJustReturn: 9).mapTo("x") }.expect("{11}x{9}x{9}|")
    }
}
