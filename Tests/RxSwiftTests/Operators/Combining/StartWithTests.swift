import RxSwift
import RxTest
import TestSupport
import Testing

struct StartWithTests {
    @Test func sendsItsElementsFirst() {
        outcome("--1-|") { $0.startWith(8, 9) }.expect("(89)-1-|", subscribed: "^---!")
        outcome("--1-|") { $0.startWith() }.expect("--1-|", subscribed: "^---!")
    }

    @Test func sendsThemBeforeItSubscribes() {
        let log = Log()
        _ = Observable.of(1).noteLifetime(in: log, as: "source").startWith(0).note(in: log)
        #expect(log.text == "0 source+ 1 completed source-")
    }
}
