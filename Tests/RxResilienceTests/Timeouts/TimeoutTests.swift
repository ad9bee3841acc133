import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TimeoutTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func error(_ span: TimeoutError.Span, _ seconds: Int) -> TimeoutError {
        TimeoutError(exceeded: span, limit: .seconds(seconds))
    }

    private func timing(_ source: String) -> Outcome<Int> {
        outcome(source, on: scheduler) { [scheduler] in
            $0.timeout(first: .seconds(30), between: .seconds(20), total: .seconds(100), scheduler: scheduler)
        }
    }

    @Test(
        arguments: [
            ("", "{30}#", .first, 30, "^{29}!"),
            ("{10}|", "{10}|", .first, 30, "^{9}!"),
            ("{10}1{80}2", "{10}1{19}#", .between, 20, "^{29}!"),
            ("{10}1{18}2{80}3", "{10}1{18}2{19}#", .between, 20, "^{48}!"),
            ("{25}1{18}2", "{25}1{18}2{19}#", .between, 20, "^{63}!"),
            ("{10}1{9}|", "{10}1{9}|", .between, 20, "^{19}!"),
            (
                "{10}1{9}1{9}1{9}1{9}1{9}1{9}1{9}1{9}1{10}1", "{10}1{9}1{9}1{9}1{9}1{9}1{9}1{9}1{9}1{9}#", .total, 100,
                "^{99}!"
            ),
        ] as [(String, String, TimeoutError.Span, Int, String)])
    func errorNamesExceededSpan(
        source: String, expected: String, span: TimeoutError.Span, seconds: Int, subscribed: String
    ) {
        timing(source).expect(expected, error: error(span, seconds), subscribed: subscribed)
    }

    @Test func errorOfSourceIsSent() {
        timing("{10}1{9}#").expect("{10}1{9}#", error: TestError.a, subscribed: "^{19}!")
    }

    @Test func shorterBetweenAfterLongFirstTimesOut() {
        outcome("{5}1", on: scheduler) { [scheduler] in
            $0.timeout(first: .seconds(200), between: .seconds(10), scheduler: scheduler)
        }
        .expect("{5}1{9}#", error: error(.between, 10), subscribed: "^{14}!")
    }

    @Test func eventsPushedDuringErrorAreDropped() {
        let (subject, observer) = (PublishSubject<Int>(), scheduler.createObserver(Int.self))
        let subscription = subject.timeout(total: .seconds(5), scheduler: scheduler)
            .do(onError: { _ in
                subject.onNext(1)
                subject.onCompleted()
            })
            .subscribe(observer)
        scheduler.start()
        #expect(observer.events.map { "\($0.value)" } == ["\(Event<Int>.error(error(.total, 5)))"])
        subscription.dispose()
    }

    @Test func firstTimeoutAppliesToFirstElementOnly() {
        outcome("{5}1{500}2", on: scheduler) { [scheduler] in $0.timeout(first: .seconds(20), scheduler: scheduler) }
            .expect("{5}1{500}2", subscribed: "^{799}!")
    }

    @Test func timeoutWithoutSpansChangesNothing() {
        outcome("{500}1", on: scheduler) { [scheduler] in $0.timeout(scheduler: scheduler) }
            .expect("{500}1", subscribed: "^{799}!")
    }

    @Test func aDisposalCallsTheTimersOff() {
        let source = scheduler.hot("")
        let observer = scheduler.start(disposed: 210) { [scheduler] in
            source.timeout(first: .seconds(30), total: .seconds(90), scheduler: scheduler)
        }
        observer.expect("")
        source.expectSubscriptions("^{9}!")
        #expect(scheduler.clock == 210)
    }

    @Test func elementSetsNoTimerWhileEarlierTimerIsPending() {
        let (source, counting) = (PublishSubject<Int>(), CountingScheduler(scheduler))
        let subscription = source.timeout(between: .seconds(5), scheduler: counting).subscribe()
        (1...3).forEach(source.onNext)
        #expect(counting.timers == 1)
        subscription.dispose()
    }

    @Test func unneededTimerSetsNoOther() {
        let (source, counting) = (PublishSubject<Int>(), CountingScheduler(scheduler))
        let subscription = source.timeout(first: .seconds(5), scheduler: counting).subscribe()
        source.onNext(1)
        scheduler.advanceTo(6)
        #expect(counting.timers == 1)
        subscription.dispose()
    }

    @Test func coarseClockTimerExpiresTimeoutWhenItFires() {
        let (scheduler, log) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Log())
        let counting = CountingScheduler(scheduler, stoppedAfter: 1_000)
        let subscription = Observable<Int>.never().timeout(first: .milliseconds(1_400), scheduler: counting)
            .subscribe(onError: { log("\($0)@\(scheduler.clock)") })
        scheduler.start()
        #expect(log.text == "timeout: first exceeded 1400 ms@1" && counting.timers == 1)
        subscription.dispose()
    }

    @Test func lastElementSetsNoTimer() {
        let (source, counting) = (PublishSubject<Int>(), CountingScheduler(scheduler))
        let subscription = source.timeout(between: .seconds(5), scheduler: counting).take(1).subscribe()
        source.onNext(1)
        #expect(counting.timers == 0)
        subscription.dispose()
    }

    @Test func slowObserverExceedsNoTimeout() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.timeout(between: .seconds(5), scheduler: scheduler).subscribe(
            onNext: { element in
                log(element)
                scheduler.advanceTo(6 * element)
            }, onError: { log("\($0)@\(scheduler.clock)") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(2)
        scheduler.start()
        #expect(log.text == "1 2 timeout: between exceeded 5 s@17")
    }

    @Test(arguments: [Form.single, .maybe]) func answerEndsTimeoutBeforeSlowDelivery(form: Form) {
        let (log, scheduler) = (Log(), scheduler)
        let call = form.apply(
            .just(1), observable: { $0 }, single: { $0.timeout(total: .seconds(5), scheduler: scheduler) },
            maybe: { $0.timeout(total: .seconds(5), scheduler: scheduler) }, completable: { $0 })
        let subscription = call.do(onNext: { _ in scheduler.advanceTo(10) }).note(in: log)
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test(arguments: ["timeout", "timeout with limit", "deadline", "deadline with limit"])
    func answerEndsTimeoutBeforeLateCompletion(name: String) throws {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let (span, limit) = (RxTimeInterval.seconds(5), TimeLimit(.seconds(5)))
        // `afterSuccess` runs before the completion and advances the clock, so the completion comes after the time
        // limit.
        let call = source.asSingle().do(afterSuccess: { _ in scheduler.advanceTo(10) })
        let limited: [String: Single<Int>] = [
            "timeout": call.timeout(total: span, scheduler: scheduler),
            "timeout with limit": call.timeout(within: limit, scheduler: scheduler),
            "deadline": call.deadline(in: span, scheduler: scheduler),
            "deadline with limit": call.deadline(within: limit, scheduler: scheduler),
        ]
        let subscription = try #require(limited[name]).asObservable().note(in: log)
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test(arguments: Form.allCases) func eachFormTimesOut(form: Form) {
        let (span, scheduler) = (RxTimeInterval.seconds(30), scheduler)
        func timed(_ source: Observable<Int>) -> Observable<Int> {
            form.apply(
                source, observable: { $0.timeout(total: span, scheduler: scheduler) },
                single: { $0.timeout(total: span, scheduler: scheduler) },
                maybe: { $0.timeout(total: span, scheduler: scheduler) },
                completable: { $0.timeout(total: span, scheduler: scheduler) })
        }
        let source = scheduler.cold("{10}1{40}|")
        scheduler.start { timed(source.asObservable()) }
            .expect(form == .observable ? "{10}1{19}#" : "{30}#", error: error(.total, 30))
        source.expectSubscriptions("^{29}!")
    }

    @Test func theErrorNamesTheUnitOfEachSpan() {
        let spans: [RxTimeInterval] = [.microseconds(7), .nanoseconds(5), .never]
        let texts = spans.map { "\(TimeoutError(exceeded: .first, limit: $0))" }
        #expect(texts == ["7 µs", "5 ns", "never"].map { "timeout: first exceeded \($0)" })
    }

    @Test func descriptionNamesSpanAndLimit() {
        #expect("\(TimeoutError(exceeded: .total, limit: .milliseconds(250)))" == "timeout: total exceeded 250 ms")
        #expect("\(error(.deadline, 2))" == "timeout: deadline exceeded 2 s")
    }
}
