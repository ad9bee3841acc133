import RxSwift
import RxTest
import TestSupport
import Testing

struct SwitchIfEmptyTests {
    @Test func goesOnWithTheOtherWhenNothingCame() {
        outcome("{20}|") { $0.ifEmpty(switchTo: .just(9)) }.expect("{20}(9|)", subscribed: "^{19}!")
    }

    @Test func leavesASequenceWithElementsAlone() {
        outcome("{10}1{9}|") { $0.ifEmpty(switchTo: .just(9)) }.expect("{10}1{9}|", subscribed: "^{19}!")
        #expect(seen(Observable.just(1).ifEmpty(switchTo: .just(9))) == "1 completed")
    }

    @Test func anErrorIsNotEmpty() {
        outcome("{20}#") { $0.ifEmpty(switchTo: .just(9)) }.expect("{20}#", subscribed: "^{19}!")
    }

    @Test func theOtherMayBeEmptyToo() {
        #expect(seen(Observable<Int>.empty().ifEmpty(switchTo: .empty())) == "completed")
    }
}
