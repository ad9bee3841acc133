import RxSwiftExt
import TestSupport
import Testing

struct IgnoreWhenTests {
    @Test func ignoreWhenDropsElementsThatSatisfyPredicate() {
        outcome("--1-2-3-|") { $0.ignoreWhen { $0 > 1 } }.expect("--1-----|", subscribed: "^-------!")
        outcome("--1-2") { $0.ignoreWhen { try passing($0, unless: 2, false) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }
}
