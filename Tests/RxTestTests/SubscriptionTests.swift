import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SubscriptionTests {
    @Test func describesItself() {
        #expect("\([Subscription(1, 2), Subscription(3)])" == "[(1: 2), (3: Infinity)]")
    }

    @Test func defaultUnsubscribeIsMax() {
        #expect(Subscription(200).unsubscribe == .max)
    }

    @Test func isEqualInBothTimes() {
        #expect(Subscription(1, 2) == Subscription(1, 2))
        #expect(Subscription(1, 2) != Subscription(1, 3))
        #expect(Subscription(1, 2) != Subscription(0, 2))
        #expect(Set([Subscription(1, 2), Subscription(1, 2), Subscription(1)]).count == 2)
    }
}
