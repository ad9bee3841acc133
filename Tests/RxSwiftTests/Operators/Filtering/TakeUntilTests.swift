import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TakeUntilTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("-----0-0", "--1-2|", "^----!"),
        ("---|", "--1-2---|", "^--!"),
        ("---#", "--1#", "^--!"),
    ])
    func triggerElementOrErrorEndsButCompletionDoesNot(other: String, result: String, subscribed: String) {
        let source = scheduler.hot("--1-2---|")
        let trigger = scheduler.hot(other)
        scheduler.start { source.take(until: trigger) }.expect(result, error: TestError.a)
        trigger.expectSubscriptions(subscribed)
    }

    @Test func sourceIsSubscribedAfterImmediateTrigger() {
        let source = scheduler.hot("--1")
        scheduler.start { source.take(until: Observable.just(0)) }.expect("|")
        source.expectSubscriptions("(^!)")
    }

    @Test func triggerIsSubscribedFirstAndDisposedLast() {
        let log = Log()
        let source = PublishSubject<Int>().do(onSubscribe: { log("source+") }, onDispose: { log("source-") })
        let other = PublishSubject<Int>()
        let subscription = source.take(until: other.do(onSubscribe: { log("other+") }, onDispose: { log("other-") }))
            .subscribe(onCompleted: { log("completed") })
        defer { subscription.dispose() }
        other.onNext(0)
        #expect(log.text == "other+ source+ completed source- other-")
    }

    @Test func noElementFollowsTriggerFromAnotherThread() throws {
        for _ in 0..<200 {
            let source = PublishSubject<Int>()
            let other = PublishSubject<Int>()
            nonisolated(unsafe) var hasEnded = false
            nonisolated(unsafe) var late = 0
            let subscription = source.take(until: other).subscribe(
                onNext: { _ in if hasEnded { late += 1 } }, onCompleted: { hasEnded = true })
            try runConcurrently(threads: 2) { index in
                if index == 1 { return other.onNext(0) }
                for value in 0..<50 { source.onNext(value) }
            }
            #expect(hasEnded)
            #expect(late == 0)
            #expect(!source.hasObservers)
            subscription.dispose()
        }
    }
}
