import RxResilience
import RxTest
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct DeadlineTests {
    private let scheduler = TestScheduler.milliseconds()
    private let log = Log()

    private func milliseconds(_ count: Int) -> String { "\(RxTimeInterval.nanoseconds(count * 1_000_000))" }

    private func listening(as name: String = "") -> Observable<Int> {
        .create { [log] _ in
            log("\(name)\(Deadline.current.map { "\($0.remaining)" } ?? "none")")
            return Disposables.create { log("\(name)-") }
        }
    }

    private func run(_ source: Observable<Int>) {
        scheduler.run {
            source.subscribe(
                onNext: { [log] in log($0) }, onError: { [log, scheduler] in log("\($0)@\(scheduler.clock)") })
        }
    }

    @Test func upstreamReadsRemainingTime() {
        run(listening().deadline(in: .milliseconds(200), scheduler: scheduler))
        #expect(log.entries == [milliseconds(200), "timeout: deadline exceeded 200 ms@200", "-"])
        #expect(Deadline.current == nil)
    }

    @Test(arguments: [(100, 300), (300, 100)]) func earlierOfNestedDeadlinesApplies(inner: Int, outer: Int) {
        run(
            listening().deadline(in: .milliseconds(inner), scheduler: scheduler)
                .deadline(in: .milliseconds(outer), scheduler: scheduler))
        #expect(log.entries == [milliseconds(100), "timeout: deadline exceeded 100 ms@100", "-"])
    }

    @Test func remainingOuterDeadlineLimitsInnerOne() {
        let (scheduler, inner) = (scheduler, listening().deadline(in: .milliseconds(50), scheduler: scheduler))
        let outer = Deadline(in: .milliseconds(100), scheduler: scheduler)
        scheduler.scheduleAt(80) {
            Deadline.$current.withValue(outer) { _ = inner.subscribe(onError: { [log] in log($0) }) }
        }
        scheduler.start()
        #expect(log.entries == [milliseconds(20), "timeout: deadline exceeded 100 ms", "-"])
    }

    @Test func sourceAfterDeadlineIsNotSubscribed() {
        let (scheduler, late) = (scheduler, listening().deadline(in: .milliseconds(500), scheduler: scheduler))
        let deadline = Deadline(in: .milliseconds(50), scheduler: scheduler)
        scheduler.scheduleAt(50) {
            Deadline.$current.withValue(deadline) { _ = late.subscribe(onError: { [log] in log($0) }) }
        }
        scheduler.start()
        #expect(log.text == "timeout: deadline exceeded 50 ms")
        #expect(deadline.hasPassed)
    }

    @Test func hasPassedIsTrueFromDeadline() {
        let (scheduler, log) = (scheduler, log)
        let deadline = Deadline(in: .milliseconds(50), scheduler: scheduler)
        for time in [0, 49, 50, 51] {
            scheduler.scheduleAt(time) { log("\(deadline.hasPassed) \(deadline.remaining)") }
        }
        scheduler.start()
        #expect(
            log.entries == [
                "false \(milliseconds(50))", "false \(milliseconds(1))", "true \(milliseconds(0))",
                "true \(milliseconds(0))",
            ])
        #expect(!Deadline(in: .never, scheduler: scheduler).hasPassed)
    }

    /// The clocks begin before and after the reference date of `Date`, in 2001.
    @Test(arguments: [-1e9, 1e9]) func deadlineOfNeverKeepsRemainingNever(start: Double) {
        let scheduler = HistoricalScheduler(initialClock: RxTime(timeIntervalSinceReferenceDate: start))
        let never = Deadline(in: .never, scheduler: scheduler)
        scheduler.advanceTo(scheduler.now.addingTimeInterval(50))
        #expect("\(never.remaining)" == "\(RxTimeInterval.never)")
        #expect(!never.hasPassed)
    }

    @Test func deadlineInNeverSetsNoTimer() {
        run(listening().deadline(in: .never, scheduler: scheduler))
        #expect(log.entries == ["\(RxTimeInterval.never)", "-"])
        #expect(scheduler.clock == 0)
    }

    private func asking(_ name: String) -> Observable<Int> {
        .create { [log] _ in
            log("\(name):\(Deadline.current.map { "\($0.remaining)" } ?? "none")")
            return Disposables.create()
        }
    }

    private func underAnotherDeadline(_ body: @escaping () -> Void) {
        Deadline.$current.withValue(Deadline(in: .milliseconds(50), scheduler: scheduler), operation: body)
    }

    @Test func callWaitingForPermitStartsWithItsOwnDeadline() {
        let bulkhead = Bulkhead(1, waiting: 2)
        let running = Observable<Int>.never().admitted(by: bulkhead).subscribe()
        let waiting = asking("a").admitted(by: bulkhead).deadline(in: .milliseconds(200), scheduler: scheduler)
            .subscribe()
        let endless = asking("b").admitted(by: bulkhead).subscribe()
        underAnotherDeadline {
            running.dispose()
            waiting.dispose()
        }
        #expect(log.entries == ["a:\(milliseconds(200))", "b:none"])
        endless.dispose()
    }

    @Test func callWaitingForLimiterStartsWithItsOwnDeadline() {
        let limiter = RateLimiter(1, per: .milliseconds(10), scheduler: scheduler)
        _ = Observable<Int>.empty().limited(by: limiter).subscribe()
        run(asking("a").limited(by: limiter).deadline(in: .milliseconds(200), scheduler: scheduler))
        #expect(log.entries.first == "a:\(milliseconds(190))")
    }

    @Test func retryAttemptIgnoresDeadlineOfErrorSender() {
        let first = PublishSubject<Int>()
        let sources = Guarded([first.asObservable(), .never()])
        let call = Observable<Int>.deferred { [self] in
            let source = sources.withLock { $0.removeFirst() }
            return Observable.merge(asking("a"), source)
        }
        let subscription = call.retry(.atOnce(), scheduler: scheduler).subscribe()
        underAnotherDeadline { first.onError(TestError.a) }
        #expect(log.text == "a:none a:none")
        subscription.dispose()
    }

    @Test func elementsAndTheEndPass() {
        let source = scheduler.cold("--1--|")
        scheduler.start { [scheduler] in
            source.asObservable().deadline(in: .milliseconds(50), scheduler: scheduler)
        }.expect("--1--|")
        #expect(scheduler.clock < 1_001)
    }

    @Test(arguments: [Form.single, .maybe]) func answerEndsDeadlineBeforeSlowDelivery(form: Form) {
        let (log, scheduler) = (log, scheduler)
        let call = form.apply(
            .just(1), observable: { $0 }, single: { $0.deadline(in: .milliseconds(5), scheduler: scheduler) },
            maybe: { $0.deadline(in: .milliseconds(5), scheduler: scheduler) }, completable: { $0 })
        let subscription = call.do(onNext: { _ in scheduler.advanceTo(10) }).note(in: log)
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test(arguments: Form.allCases) func eachFormHasDeadline(form: Form) {
        let (span, scheduler) = (RxTimeInterval.milliseconds(30), scheduler)
        run(
            form.apply(
                listening(), observable: { $0.deadline(in: span, scheduler: scheduler) },
                single: { $0.deadline(in: span, scheduler: scheduler) },
                maybe: { $0.deadline(in: span, scheduler: scheduler) },
                completable: { $0.deadline(in: span, scheduler: scheduler) }))
        #expect(log.entries == [milliseconds(30), "timeout: deadline exceeded 30 ms@30", "-"])
    }

    @Test func taskStartedBySubscriptionSeesDeadline() {
        let work = Single.create { [log] in log(Deadline.current.map { "\($0.remaining)" } ?? "none") }
            .deadline(in: .milliseconds(200), scheduler: scheduler)
        #expect(throws: Never.self) { try onVirtualTime(scheduler) { try await work.value } }
        #expect(log.text == milliseconds(200))
    }
}
