import RxSwift
import TestSupport
import Testing

struct SkipTests {
    @Test(arguments: [
        (2, "------3-|", "^-------!"),
        (0, "--1-2-3-|", "^-------!"),
        (-1, "--1-2-3-|", "^-------!"),
        (9, "--------|", "^-------!"),
    ])
    func skipDropsFirstElements(count: Int, expected: String, subscribed: String) {
        outcome("--1-2-3-|") { $0.skip(count) }.expect(expected, subscribed: subscribed)
    }

    @Test func errorDuringSkipIsForwarded() {
        outcome("--1-#") { $0.skip(2) }.expect("----#", subscribed: "^---!")
    }

    @Test func eachSubscriptionSkipsSeparately() {
        let rest = Observable.range(start: 1, count: 3).skip(2)
        let log = Log()
        for _ in 0..<2 { _ = rest.subscribe(onNext: { log($0) }) }
        #expect(log.text == "3 3")
    }
}
