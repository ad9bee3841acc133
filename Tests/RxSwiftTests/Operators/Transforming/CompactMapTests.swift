import RxSwift
import TestSupport
import Testing

struct CompactMapTests {
    @Test func elementsWithoutResultAreDropped() {
        outcome("--1-2-3-|") { $0.compactMap { $0 == 2 ? nil : $0 * 10 } }
            .expect("--a---b-|", values: ["a": 10, "b": 30], subscribed: "^-------!")
    }

    @Test func sourceErrorIsForwarded() {
        outcome("--1-#") { $0.compactMap { $0 } }.expect("--1-#", subscribed: "^---!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2-3") { $0.compactMap { try passing($0, unless: 2, $0) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }
}
