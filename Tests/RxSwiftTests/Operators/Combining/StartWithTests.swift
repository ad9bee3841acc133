import RxSwift
import RxTest
import TestSupport
import Testing

struct StartWithTests {
    @Test func sendsItsElementsFirst() {
        #expect(outcome("210:1 220|") { $0.startWith(8, 9) } == "200:8 200:9 210:1 220| (200: 220)")
        #expect(outcome("210:1 220|") { $0.startWith() } == "210:1 220| (200: 220)")
    }

    @Test func sendsThemBeforeItSubscribes() {
        let log = Log()
        _ = Observable.of(1).noteLifetime(in: log, as: "source").startWith(0).note(in: log)
        #expect(log.text == "0 source+ 1 completed source-")
    }
}
