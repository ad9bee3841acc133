import RxSwift
import TestSupport
import Testing

struct SkipTests {
    @Test(arguments: [
        (2, "{30}3{9}|", "^{39}!"),
        (0, "{10}1{9}2{9}3{9}|", "^{39}!"),
        (-1, "{10}1{9}2{9}3{9}|", "^{39}!"),
        (9, "{40}|", "^{39}!"),
    ])
    func leavesOutTheFirst(count: Int, expected: String, subscribed: String) {
        outcome("{10}1{9}2{9}3{9}|") { $0.skip(count) }.expect(expected, subscribed: subscribed)
    }

    @Test func handsAnErrorOnBeforeThat() {
        outcome("{10}1{9}#") { $0.skip(2) }.expect("{20}#", subscribed: "^{19}!")
    }

    @Test func countsAnewForEachSubscription() {
        let rest = Observable.range(start: 1, count: 3).skip(2)
        let log = Log()
        for _ in 0..<2 { _ = rest.subscribe(onNext: { log($0) }) }
        #expect(log.text == "3 3")
    }
}
