import RxOperators
import RxTest
import TestSupport
import Testing

struct GroupByUntilTests {
    private let scheduler = TestScheduler(initialClock: 0)

    /// The groups' events, each with the number of its group: `#` is an error and `|` the end.
    private func events(
        _ source: TestableObservable<Int>, key: @escaping @Sendable (Int) throws -> Int = { $0 % 2 },
        until duration: @escaping @Sendable (GroupedObservable<Int, Int>) throws -> Observable<Int>
    ) -> String {
        let log = Log()
        let subscription = source.groupBy(keySelector: key, until: duration).enumerated().flatMap { number, group in
            group.asObservable().map { "\(number):\($0)" }.catch { _ in .just("\(number)#") }
                .concat(Observable.just("\(number)|"))
        }
        .subscribe(onNext: { log($0) }, onError: { _ in log("#") }, onCompleted: { log("|") })
        scheduler.start()
        subscription.dispose()
        return log.text
    }

    @Test func groupByUntilExpiredKeyBeginsANewGroup() {
        let text = events(scheduler.hot("-1-3-5-2-|")) { [scheduler] _ in .timer(.seconds(3), scheduler: scheduler) }
        #expect(text == "0:1 0:3 0| 1:5 2:2 1| 2| |")
    }

    @Test func groupByUntilDurationOfTheGroupItselfCountsItsElements() {
        #expect(events(scheduler.hot("-1-3-5-7-|"), until: { $0.skip(1) }) == "0:1 0:3 0| 1:5 1:7 1| |")
    }

    @Test func groupByUntilDurationEndsAtOnceGroupHasItsElement() {
        #expect(events(scheduler.hot("-1-3-|"), until: { _ in .empty() }) == "0:1 0| 1:3 1| |")
    }

    @Test func groupByUntilSourceFailsEndsAllGroups() {
        #expect(events(scheduler.hot("-1-2-#"), until: { _ in .never() }) == "0:1 1:2 0# 0| 1# 1| #")
    }

    @Test func groupByUntilDurationFailsEndsAllGroups() {
        let text = events(
            scheduler.hot("-1-2-3|"),
            until: { [scheduler] in
                $0.key == 1 ? scheduler.cold("---#").asObservable() : .never()
            })
        #expect(text == "0:1 1:2 0# 0| 1# 1| #")
    }

    @Test func groupByUntilSelectorThrowsEndsAllGroups() {
        let text = events(scheduler.hot("-1-2-|"), key: { try passing($0, unless: 2, $0) }, until: { _ in .never() })
        #expect(text == "0:1 0# 0| #")
    }

    @Test func groupByUntilDurationSelectorThrowsEndsAllGroups() {
        let text = events(
            scheduler.hot("-1-2-|"), until: { try passing($0.key, unless: 0, Observable<Int>.never()) })
        #expect(text == "0:1 0# 0| 1# 1| #")
    }

    @Test func groupByUntilResultDisposedDurationOfTheGroupKeepsNothing() {
        let source = PublishSubject<Int>()
        let subscription = source.groupBy(keySelector: { $0 }, until: { $0.skip(1) }).subscribe()
        source.onNext(1)
        #expect(source.hasObservers)
        subscription.dispose()
        #expect(!source.hasObservers)
    }

    @Test func groupByUntilExpiredGroupsAreReleased() {
        let (source, tracker) = (PublishSubject<Int>(), LifetimeTracker())
        struct Key: Hashable {
            let token: LifetimeTracker.Tracked
            static func == (left: Key, right: Key) -> Bool { left.token.value == right.token.value }
            func hash(into hasher: inout Hasher) { hasher.combine(token.value) }
        }
        let subscription = source.groupBy(
            keySelector: { Key(token: tracker.make($0)) }, until: { $0.take(1) }
        ).subscribe()
        for element in 0..<100 { source.onNext(element) }
        #expect(tracker.live == 0)
        subscription.dispose()
    }
}
