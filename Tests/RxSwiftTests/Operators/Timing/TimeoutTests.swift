import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TimeoutTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String) -> String {
        let source = scheduler.hot(source)
        let observer = scheduler.start { source.timeout(.seconds(45), scheduler: scheduler) }
        return "\(observer.marble) \(source.subscribed)"
    }

    @Test(arguments: [
        ("", "245!Sequence timeout. (200: 245)"), ("210:1 250:2 350:4", "210:1 250:2 295!Sequence timeout. (200: 295)"),
        ("210:1 220|", "210:1 220| (200: 220)"), ("210:1 220!", "210:1 220! (200: 220)"),
    ])
    func itFailsWhenNothingComes(source: String, expected: String) {
        #expect(result(source) == expected)
    }

    @Test func theOtherTakesTheSourcesPlace() {
        let source = scheduler.hot("210:1 300:2")
        let other = scheduler.cold("10:7 200:8 210|")
        let observer = scheduler.start { source.timeout(.seconds(45), other: other, scheduler: scheduler) }
        #expect(observer.marble == "210:1 265:7 455:8 465|")
        #expect(source.subscribed == "(200: 255)")
        #expect(other.subscribed == "(255: 465)")
    }

    @Test func theSourceIsDisposedAfterTheOtherIsSubscribedAndIsNotHeardMeanwhile() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let other = PublishSubject<Int>().do(onSubscribe: {
            log("other+")
            source.onNext(2)
        })
        let subscription = source.do(onDispose: { log("source-") }).timeout(
            .seconds(5), other: other, scheduler: scheduler
        )
        .subscribe(onNext: { log($0) })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.start()
        #expect(log.text == "1 other+ source-")
    }

    @Test func aSpanThatEndsWhileAnElementIsDeliveredIsNoTimeout() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.timeout(.seconds(5), scheduler: scheduler).subscribe(
            onNext: { element in
                log(element)
                scheduler.advanceTo(6 * element)
            }, onError: { log("\($0)@\(scheduler.clock)") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(2)
        scheduler.start()
        #expect(log.text == "1 2 Sequence timeout.@17")
    }

    @Test func afterADisposalTheTimerDoesNothing() {
        let source = scheduler.hot("")
        #expect(scheduler.start(disposed: 230) { source.timeout(.seconds(45), scheduler: scheduler) }.marble == "")
        #expect(source.subscribed == "(200: 230)")
    }
}
