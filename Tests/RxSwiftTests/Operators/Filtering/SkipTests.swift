import RxSwift
import TestSupport
import Testing

struct SkipTests {
    @Test(arguments: [
        (2, "230:3 240| (200: 240)"), (0, "210:1 220:2 230:3 240| (200: 240)"),
        (-1, "210:1 220:2 230:3 240| (200: 240)"),
        (9, "240| (200: 240)"),
    ])
    func leavesOutTheFirst(count: Int, expected: String) {
        #expect(outcome("210:1 220:2 230:3 240|") { $0.skip(count) } == expected)
    }

    @Test func handsAnErrorOnBeforeThat() {
        #expect(outcome("210:1 220!") { $0.skip(2) } == "220! (200: 220)")
    }

    @Test func countsAnewForEachSubscription() {
        let rest = Observable.range(start: 1, count: 3).skip(2)
        let log = Log()
        for _ in 0..<2 { _ = rest.subscribe(onNext: { log($0) }) }
        #expect(log.text == "3 3")
    }
}
