import RxSwift
import TestSupport
import Testing

struct SkipWhileTests {
    @Test func letsEverythingThroughFromTheFirstThatDoesNotSatisfy() {
        #expect(outcome("210:1 220:3 230:1 240|") { $0.skip(while: { $0 < 3 }) } == "220:3 230:1 240| (200: 240)")
    }

    @Test func asksOnlyUntilThen() {
        let log = Log()
        _ = Observable.range(start: 1, count: 4).skip(while: {
            log($0); return $0 < 2
        }).subscribe()
        #expect(log.text == "1 2")
    }

    @Test func handsAnErrorOnBeforeThat() {
        #expect(outcome("210:1 220!") { $0.skip(while: { _ in true }) } == "220! (200: 220)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(outcome("210:1 220:2") { $0.skip(while: { try passing($0, unless: 2, true) }) } == "220!b (200: 220)")
    }
}
