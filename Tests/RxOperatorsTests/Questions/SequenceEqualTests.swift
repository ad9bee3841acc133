import RxOperators
import RxTest
import TestSupport
import Testing

struct SequenceEqualTests {
    private func answer(
        _ one: String, _ other: String, by areEquivalent: (@Sendable (Int, Int) throws -> Bool)? = nil
    ) -> Outcome<Bool> {
        let scheduler = TestScheduler(initialClock: 0)
        let (one, other) = (scheduler.hot(one), scheduler.hot(other))
        let observer = scheduler.start {
            areEquivalent.map { one.sequenceEqual(other, by: $0) } ?? one.sequenceEqual(other)
        }
        return Outcome(observer, one, other)
    }

    @Test func sequenceEqualSameElementsSendsTrueAtTheLastCompletion() {
        answer("-1-2---|", "--1-2-|").expect("-------(t|)", values: ["t": true], subscribed: "^------!", "^-----!")
        answer("---|", "-----|").expect("-----(t|)", values: ["t": true], subscribed: "^--!", "^----!")
    }

    @Test func sequenceEqualDifferentElementSendsFalseAndDisposesOfBoth() {
        answer("-1-2-4-|", "--1--3-").expect("-----(f|)", values: ["f": false], subscribed: "^----!", "^----!")
    }

    @Test(arguments: [("-1-2---|", "--1--|"), ("--1--|", "-1-2---|")])
    func sequenceEqualOneIsShorterSendsFalseAtItsEnd(one: String, other: String) {
        answer(one, other).observer.expect("-----(f|)", values: ["f": false])
    }

    @Test(arguments: [("-1-|", "--1--2"), ("--1--2", "-1-|")])
    func sequenceEqualOneIsLongerSendsFalseAtTheFurtherElement(one: String, other: String) {
        answer(one, other).observer.expect("-----(f|)", values: ["f": false])
    }

    @Test func sequenceEqualErrorOfEitherIsPassedOnAtOnce() {
        answer("-1-2-3-", "----#").expect("----#", subscribed: "^---!", "^---!")
        answer("----#", "-1-2-3-").expect("----#", subscribed: "^---!", "^---!")
    }

    @Test func sequenceEqualComparatorDecides() {
        answer("-1-3-|", "--5-7|") { $0 % 2 == $1 % 2 }.observer.expect("-----(t|)", values: ["t": true])
        answer("-1-3-|", "--5-7|") { try passing($1, unless: 7, $0 < $1) }.observer
            .expect("----#", error: TestError.b)
    }
}
