import RxSwift
import TestSupport
import Testing

struct ElementAtTests {
    @Test func elementAtSendsElementAndCompletes() {
        outcome("--1-2-3") { $0.element(at: 1) }.expect("----(2|)", subscribed: "^---!")
        outcome("--1-2-3") { $0.element(at: 0) }.expect("--(1|)", subscribed: "^-!")
    }

    @Test func shortSourceEndsWithArgumentOutOfRange() {
        outcome("--1-|") { $0.element(at: 1) }
            .expect("----#", error: RxError.argumentOutOfRange, subscribed: "^---!")
    }

    @Test func errorBeforeElementIsForwarded() {
        outcome("--1-#") { $0.element(at: 1) }.expect("----#", subscribed: "^---!")
    }

    @Test func elementPushedByObserverDuringElementIsPassed() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        _ = subject.element(at: 0).subscribe(
            onNext: {
                log($0)
                if $0 == 1 { subject.onNext(2) }
            }, onCompleted: { log("|") })
        subject.onNext(1)
        #expect(log.text == "1 2 |")
    }

    @Test func trapsOnANegativeIndex() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).element(at: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("index can't be negative (element, at: -1)"))
    }
}
