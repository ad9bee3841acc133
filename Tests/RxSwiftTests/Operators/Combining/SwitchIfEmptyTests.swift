import RxSwift
import RxTest
import TestSupport
import Testing

struct SwitchIfEmptyTests {
    @Test func goesOnWithTheOtherWhenNothingCame() {
        #expect(outcome("220|") { $0.ifEmpty(switchTo: .just(9)) } == "220:9 220| (200: 220)")
    }

    @Test func leavesASequenceWithElementsAlone() {
        #expect(outcome("210:1 220|") { $0.ifEmpty(switchTo: .just(9)) } == "210:1 220| (200: 220)")
        #expect(seen(Observable.just(1).ifEmpty(switchTo: .just(9))) == "1 completed")
    }

    @Test func anErrorIsNotEmpty() {
        #expect(outcome("220!") { $0.ifEmpty(switchTo: .just(9)) } == "220! (200: 220)")
    }

    @Test func theOtherMayBeEmptyToo() {
        #expect(seen(Observable<Int>.empty().ifEmpty(switchTo: .empty())) == "completed")
    }
}
