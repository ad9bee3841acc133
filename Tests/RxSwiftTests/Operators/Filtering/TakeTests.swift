import RxSwift
import TestSupport
import Testing

struct TakeTests {
    @Test func completesWithTheLastElement() {
        outcome("--1-2-3") { $0.take(2) }.expect("--1-(2|)", subscribed: "^---!")
    }

    @Test func endsWithTheSourceBeforeThat() {
        outcome("--1-|") { $0.take(2) }.expect("--1-|", subscribed: "^---!")
        outcome("--1-#") { $0.take(2) }.expect("--1-#", subscribed: "^---!")
    }

    @Test func takeZeroCompletesWithoutSubscribing() {
        outcome("--1") { $0.take(0) }.expect("|")
    }

    @Test func elementPushedByObserverDuringLastIsDropped() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        _ = subject.take(1).subscribe(
            onNext: {
                log($0)
                subject.onNext($0 + 1)
            }, onCompleted: { log("|") })
        subject.onNext(1)
        #expect(log.text == "1 |")
    }

    @Test func leavesItsElementsToAStageThatSendsThemLate() {
        let log = Log()
        _ = Observable.range(start: 1, count: 3).take(2).takeLast(1).subscribe(
            onNext: { log($0) }, onCompleted: { log("|") })
        #expect(log.text == "2 |")
    }

    @Test func trapsOnANegativeCount() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).take(-1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("count can't be negative (take, count: -1)"))
    }
}
