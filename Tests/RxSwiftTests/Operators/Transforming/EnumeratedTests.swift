import RxSwift
import TestSupport
import Testing

struct EnumeratedTests {
    @Test func countsFromZeroForEachSubscription() {
        let pairs = Observable.range(start: 5, count: 2).enumerated()
        let log = Log()
        for _ in 0..<2 { _ = pairs.subscribe(onNext: { log("\($0.index):\($0.element)") }) }
        #expect(log.text == "0:5 1:6 0:5 1:6")
    }

    @Test func sourceErrorIsForwarded() {
        outcome("--1-#") { $0.enumerated().map { $0.index } }.expect("--0-#", subscribed: "^---!")
    }
}
