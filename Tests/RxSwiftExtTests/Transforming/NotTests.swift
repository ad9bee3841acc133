import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct NotTests {
    @Test func eachElementIsNegated() {
        #expect(outcome("210:1 220:2 230|") { $0.map { $0 == 1 }.not() } == "210:false 220:true 230| (200: 230)")
    }

    @Test func eachElementOfASharedSequenceIsNegated() {
        #expect(
            shared("210:1 220:2") { $0.map { $0 == 1 }.asDriver(onErrorJustReturn: true).not() } == "211:false 221:true"
        )
    }
}
