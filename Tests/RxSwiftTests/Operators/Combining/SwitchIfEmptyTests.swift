import RxSwift
import RxTest
import TestSupport
import Testing

struct SwitchIfEmptyTests {
    @Test func aSourceThatCompletesWithinItsFirstElementIsNotEmpty() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.ifEmpty(switchTo: .just(2)).do(afterNext: { _ in source.onCompleted() }).note(in: log)
        source.onNext(1)
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func emptySourceSwitchesToOtherSequence() {
        outcome("----|") { $0.ifEmpty(switchTo: .just(9)) }.expect("----(9|)", subscribed: "^---!")
    }

    @Test func leavesASequenceWithElementsAlone() {
        outcome("--1-|") { $0.ifEmpty(switchTo: .just(9)) }.expect("--1-|", subscribed: "^---!")
        #expect(seen(Observable.just(1).ifEmpty(switchTo: .just(9))) == "1 completed")
    }

    @Test func anErrorIsNotEmpty() {
        outcome("----#") { $0.ifEmpty(switchTo: .just(9)) }.expect("----#", subscribed: "^---!")
    }

    @Test func emptyOtherSequenceCompletes() {
        #expect(seen(Observable<Int>.empty().ifEmpty(switchTo: .empty())) == "completed")
    }

    @Test func theEmptyOneIsDisposedOfOnceTheOtherIsSubscribed() {
        let (source, other, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let subscription = source.noteLifetime(in: log, as: "source")
            .ifEmpty(switchTo: other.noteLifetime(in: log, as: "other")).note(in: log)
        source.onCompleted()
        other.onNext(9)
        #expect(log.text == "source+ other+ source- 9")
        subscription.dispose()
    }
}
