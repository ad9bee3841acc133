import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct MapToTests {
    @Test func eachElementIsReplaced() {
        #expect(outcome("210:1 220:2 230|") { $0.mapTo("x") } == "210:x 220:x 230| (200: 230)")
        #expect(outcome("210:1 220!") { $0.mapTo("x") } == "210:x 220! (200: 220)")
    }

    @Test func theElementOfATraitIsReplaced() {
        #expect(seen(Single.just(1).mapTo("x").asObservable()) == "x completed")
        #expect(seen(Maybe.just(1).mapTo("x").asObservable()) == "x completed")
        #expect(seen(Maybe<Int>.empty().mapTo("x").asObservable()) == "completed")
    }

    @Test func eachElementOfASharedSequenceIsReplaced() {
        #expect(shared("210:1 220:2 230|") { $0.asDriver(onErrorJustReturn: 9).mapTo("x") } == "211:x 221:x 231|")
        #expect(shared("210:1 220:2 230|") { $0.asSignal(onErrorJustReturn: 9).mapTo("x") } == "211:x 221:x 231|")
    }
}
