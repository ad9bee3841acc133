import RxOperators
import TestSupport
import Testing

struct ContainsTests {
    @Test func containsEqualElementSendsTrueAndDisposesOfSource() {
        outcome("--1-2-3") { $0.contains(2) }.expect("----(t|)", values: ["t": true], subscribed: "^---!")
    }

    @Test func containsCompletedWithoutEqualElementSendsFalse() {
        outcome("--1-2-|") { $0.contains(3) }.expect("------(f|)", values: ["f": false], subscribed: "^-----!")
        outcome("--1-2-#") { $0.contains(3) }.expect("------#", subscribed: "^-----!")
    }

    @Test func containsWhereMatchSendsTrueAndDisposesOfSource() {
        outcome("--1-2-3") { $0.contains(where: { $0 > 1 }) }
            .expect("----(t|)", values: ["t": true], subscribed: "^---!")
    }

    @Test func containsWhereCompletedWithoutMatchSendsFalse() {
        outcome("--1-2-|") { $0.contains(where: { $0 > 2 }) }
            .expect("------(f|)", values: ["f": false], subscribed: "^-----!")
    }

    @Test func containsWherePredicateThrowsFails() {
        outcome("--1-2") { $0.contains(where: { try passing($0, unless: 2, false) }) }
            .expect("----#", error: TestError.b, subscribed: "^---!")
    }
}
