import RxOperators
import TestSupport
import Testing

struct OnErrorCompleteTests {
    @Test func onErrorCompleteMatchingErrorCompletes() {
        outcome("-1-#") { $0.onErrorComplete(where: { $0 as? TestError == .a }) }
            .expect("-1-|", subscribed: "^--!")
    }

    @Test func onErrorCompleteOtherErrorIsPassedOn() {
        outcome("-1-#") { $0.onErrorComplete(where: { $0 as? TestError == .b }) }
            .expect("-1-#", subscribed: "^--!")
    }

    @Test func onErrorCompletePredicateThrowsFailsWithThatError() {
        outcome("-1-#") { $0.onErrorComplete(where: { _ in throw TestError.c }) }
            .expect("-1-#", error: TestError.c, subscribed: "^--!")
    }

    @Test func onErrorCompleteCompletedDoesNotCallPredicate() {
        let log = Log()
        outcome("-1-|") {
            $0.onErrorComplete(where: { _ in
                log("called")
                return true
            })
        }
        .expect("-1-|", subscribed: "^--!")
        #expect(log.text.isEmpty)
    }
}
