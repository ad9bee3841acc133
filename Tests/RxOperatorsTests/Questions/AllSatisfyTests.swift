import RxOperators
import TestSupport
import Testing

struct AllSatisfyTests {
    private func answer(_ source: String, _ predicate: @escaping @Sendable (Int) throws -> Bool) -> Outcome<Bool> {
        outcome(source) { $0.allSatisfy(predicate) }
    }

    @Test func allSatisfyCompletedWithoutCounterexampleSendsTrue() {
        answer("--1-2-|") { $0 < 3 }.expect("------(t|)", values: ["t": true], subscribed: "^-----!")
        answer("------|") { _ in false }.expect("------(t|)", values: ["t": true], subscribed: "^-----!")
    }

    @Test func allSatisfyCounterexampleSendsFalseAndDisposesOfSource() {
        answer("--1-3-2-|") { $0 < 3 }.expect("----(f|)", values: ["f": false], subscribed: "^---!")
    }

    @Test func allSatisfyErrorIsPassedOn() {
        answer("--1-#") { _ in true }.expect("----#", subscribed: "^---!")
        answer("--1-2") { try passing($0, unless: 2, true) }.expect("----#", error: TestError.b, subscribed: "^---!")
    }

    @Test func allSatisfyPredicatePushesCounterexampleSendsOneAnswer() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let answer = source.allSatisfy { element in
            if element == 1 { source.onNext(2) }
            return false
        }
        // `concat` would forward a second answer.
        let subscription = answer.asObservable().concat(Observable.never()).note(in: log)
        source.onNext(1)
        subscription.dispose()
        #expect(log.text == "false")
    }

    @Test func allSatisfyObserverPushesSendsOneAnswer() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let answer = source.allSatisfy { _ in false }.asObservable().do(onNext: { _ in source.onNext(2) })
        let subscription = answer.concat(Observable.never()).note(in: log)
        source.onNext(1)
        subscription.dispose()
        #expect(log.text == "false")
    }
}
