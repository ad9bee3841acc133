import RxSwift
import TestSupport
import Testing

struct IgnoreElementsTests {
    @Test func handsOnlyTheEndOn() {
        outcome("--1-2-|") { $0.ignoreElements() }.expect("------|", subscribed: "^-----!")
        outcome("--1-#") { $0.ignoreElements() }.expect("----#", subscribed: "^---!")
    }
}
