import RxSwift
import TestSupport
import Testing

struct SkipWhileTests {
    @Test func letsEverythingThroughFromTheFirstThatDoesNotSatisfy() {
        outcome("{10}1{9}3{9}1{9}|") { $0.skip(while: { $0 < 3 }) }.expect("{20}3{9}1{9}|", subscribed: "^{39}!")
    }

    @Test func asksOnlyUntilThen() {
        let log = Log()
        _ = Observable.range(start: 1, count: 4).skip(while: {
            log($0); return $0 < 2
        }).subscribe()
        #expect(log.text == "1 2")
    }

    @Test func handsAnErrorOnBeforeThat() {
        outcome("{10}1{9}#") { $0.skip(while: { _ in true }) }.expect("{20}#", subscribed: "^{19}!")
    }

    @Test func endsWithWhatTheClosureThrows() {
        outcome("{10}1{9}2") { $0.skip(while: { try passing($0, unless: 2, true) }) }.expect(
            "{20}#", error: TestError.b, subscribed: "^{19}!")
    }
}
