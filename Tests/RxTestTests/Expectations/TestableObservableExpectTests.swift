import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TestableObservableExpectTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func subscriptionsAreDrawn() {
        let source = scheduler.createHotObservable("-", of: Int.self)
        _ = scheduler.start("-^---!") { source }
        #expect(
            report { source.expectSubscriptions("-^-----!", "--^") } == """
                The subscriptions are not those expected: expected (201: 207) (202: Infinity), got (201: 205).
                Subscription 1 from 200:
                    expected  -^-----!
                    actual    -^---!--
                                   ^ ^
                Subscription 2 from 200:
                    expected  --^
                    actual    ---
                                ^
                """)
        #expect(report { source.expectSubscriptions() }.contains("expected none, got (201: 205)"))
    }

    @Test func onlySubscriptionsThatDifferAreDrawn() {
        let source = scheduler.createColdObservable("--1-#", of: Int.self)
        _ = scheduler.start { source.retry(2) }
        let text = report { source.expectSubscriptions("^---!", "----^--!") }
        #expect(!text.contains("Subscription 1 from"))
        #expect(text.contains("Subscription 2 from 200:"))
    }

    @Test func unreadableStringIsTheOnlyFailure() {
        let source = scheduler.createHotObservable("-", of: Int.self)
        _ = scheduler.start("-^---!") { source }
        let text = report { source.expectSubscriptions("^-x") }
        #expect(!text.isEmpty)
        #expect(!text.contains("The subscriptions are not those expected"))
    }

    @Test(arguments: [(0, []), (1, ["^---!"]), (2, ["^---!", "----^---!"])])
    func subscriptionsMayBeAList(attempts: Int, subscriptions: [String]) {
        let source = scheduler.createColdObservable("--1-#", of: Int.self)
        _ = scheduler.start { source.retry(attempts) }
        source.expectSubscriptions(subscriptions)
        #expect(report { source.expectSubscriptions(subscriptions + ["^"]) }.contains("Infinity"))
        source.expectSubscriptions(subscriptions.map { "{100}\($0)" }, from: 100)
    }
}
