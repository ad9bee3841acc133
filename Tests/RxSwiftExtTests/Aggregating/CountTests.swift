import RxSwiftExt
import TestSupport
import Testing

struct CountTests {
    @Test func elementsAreCounted() {
        outcome("--7-8-|") { $0.count() }.expect("------(2|)", subscribed: "^-----!")
        outcome("------|") { $0.count() }.expect("------(0|)", subscribed: "^-----!")
        outcome("--7---#") { $0.count() }.expect("------#", subscribed: "^-----!")
    }

    @Test func countCountsElementsThatSatisfyPredicate() {
        outcome("--7-8-|") { $0.count { $0 > 7 } }.expect("------(1|)", subscribed: "^-----!")
        outcome("--7-8-|") { $0.count { try passing($0, unless: 8, true) } }
            .expect("----#", error: TestError.b, subscribed: "^---!")
    }
}
