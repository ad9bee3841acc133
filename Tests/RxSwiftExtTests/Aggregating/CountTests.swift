import RxSwiftExt
import TestSupport
import Testing

struct CountTests {
    @Test func elementsAreCounted() {
        outcome("{10}7{9}8{9}|") { $0.count() }.expect("{30}(2|)", subscribed: "^{29}!")
        outcome("{30}|") { $0.count() }.expect("{30}(0|)", subscribed: "^{29}!")
        outcome("{10}7{19}#") { $0.count() }.expect("{30}#", subscribed: "^{29}!")
    }

    @Test func whatSatisfiesThePredicateIsCounted() {
        outcome("{10}7{9}8{9}|") { $0.count { $0 > 7 } }.expect("{30}(1|)", subscribed: "^{29}!")
        outcome("{10}7{9}8{9}|") { $0.count { try passing($0, unless: 8, true) } }.expect(
            "{20}#", error: TestError.b, subscribed: "^{19}!")
    }
}
