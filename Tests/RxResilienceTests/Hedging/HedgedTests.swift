import RxResilience
import RxTest
import TestSupport
import Testing

@Suite struct HedgedTests {
    private let scheduler = TestScheduler(initialClock: 0)

    /// The events of a hedged call, in which each attempt subscribes to the next source.
    private func hedged(
        _ sources: String..., most: Int = 1, budget: RetryBudget? = nil, disposed: Int = 1_000
    ) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = sources.map { scheduler.cold($0) }
        nonisolated(unsafe) var next = 0
        let call = Observable<Int>.deferred {
            defer { next += 1 }
            return sources[next].asObservable()
        }
        let observer = scheduler.start(disposed: disposed) {
            call.hedged(after: .seconds(10), most: most, budget: budget, scheduler: scheduler)
        }
        return Outcome(observer, sources)
    }

    private func expect(
        _ outcome: Outcome<Int>, _ events: String, error: any Error = TestError.a, _ subscriptions: [String?]
    ) {
        outcome.observer.expect(events, error: error)
        for (source, subscription) in zip(outcome.sources, subscriptions) {
            source.expectSubscriptions(subscription.map { [$0] } ?? [])
        }
    }

    @Test func aFastAnswerNeedsNoHedge() {
        expect(hedged("{5}1{20}2|", "1|"), "{5}1{20}2|", ["^{26}!", nil])
    }

    @Test func fasterHedgeAnswers() {
        expect(hedged("{50}1|", "{5}2{20}3|"), "{15}2{20}3|", ["^{14}!", "{10}^{26}!"])
    }

    @Test func firstAttemptFasterThanHedgeAnswers() {
        expect(hedged("{12}1{20}4|", "{5}2|"), "{12}1{20}4|", ["^{33}!", "{10}^-!"])
    }

    @Test func mostLimitsNumberOfHedges() {
        expect(hedged("", "", "{3}3|", "1|", most: 2), "{23}3|", ["^{22}!", "{10}^{12}!", "{20}^{3}!", nil])
        expect(hedged("{15}1|", "", most: 0), "{15}1|", ["^{15}!", nil])
    }

    @Test func slowSubscriptionIsHedged() {
        let (scheduler, log) = (scheduler, Log())
        nonisolated(unsafe) var attempts = 0
        let call = Observable<Int>.deferred {
            attempts += 1
            if attempts == 2 { return .just(2) }
            return .create { _ in
                scheduler.advanceTo(30)
                log("subscribed")
                return Disposables.create()
            }
        }
        let subscription = call.hedged(after: .seconds(10), scheduler: scheduler).note(in: log)
        #expect(log.text == "2 completed subscribed")
        subscription.dispose()
    }

    @Test func anErrorIsDroppedWhileAnotherRuns() {
        expect(hedged("{12}#", "{5}2|"), "{15}2|", ["^{11}!", "{10}^{5}!"])
        expect(hedged("{20}1|", "{5}#"), "{20}1|", ["^{20}!", "{10}^{4}!"])
    }

    @Test func theLastErrorPasses() {
        expect(hedged("{12}#", "{5}#"), "{15}#", ["^{11}!", "{10}^{4}!"])
    }

    @Test func errorBeforeHedgeIsSentAndCancelsHedge() {
        expect(hedged("{5}#", "1|"), "{5}#", ["^{4}!", nil])
    }

    @Test func aCompletionIsAnAnswer() {
        expect(hedged("{12}|", "{5}2|"), "{12}|", ["^{11}!", "{10}^-!"])
    }

    @Test func emptyBudgetPreventsHedge() {
        let budget = RetryBudget(ratio: 0, burst: 1)
        expect(hedged("{50}1|", "{5}2|", budget: budget), "{15}2|", ["^{14}!", "{10}^{5}!"])
        expect(hedged("{50}1|", "{5}2|", budget: budget), "{50}1|", ["^{50}!", nil])
        #expect(budget.balance == 0)
    }

    @Test func eachCallFillsTheBudget() {
        let budget = RetryBudget(ratio: 0.5, burst: 1)
        #expect(budget.takeRetry())
        _ = hedged("1|", budget: budget)
        _ = hedged("1|", budget: budget)
        #expect(budget.balance == 1)
    }

    @Test func hedgeAddsNothingToBudget() {
        let budget = RetryBudget(ratio: 0.5, burst: 1)
        expect(hedged("{50}1|", "{5}2|", budget: budget), "{15}2|", ["^{14}!", "{10}^{5}!"])
        #expect(budget.balance == 0)
    }

    @Test func withinARetryOfTheSameBudgetACallPaysInAtBoth() {
        let budget = RetryBudget(ratio: 0.25, burst: 1)
        #expect(budget.takeRetry())
        let call = Observable.just(1).hedged(after: .seconds(10), budget: budget, scheduler: scheduler)
            .retry(.atOnce(), budget: budget, scheduler: scheduler)
        #expect(seen(call) == "1 completed")
        #expect(budget.balance == 0.5)
    }

    @Test func hedgeWithoutTokenIsNotRetriedLater() {
        let (budget, log, scheduler) = (RetryBudget(ratio: 0.5, burst: 1), Log(), scheduler)
        #expect(budget.takeRetry())
        let subscription = Observable<Int>.never().noteLifetime(in: log, as: "")
            .hedged(after: .seconds(10), most: 3, budget: budget, scheduler: scheduler).subscribe()
        scheduler.scheduleAt(15) { budget.recordCall() }
        scheduler.advanceTo(100)
        #expect(log.text == "+")
        #expect(budget.balance == 1)
        subscription.dispose()
    }

    @Test func loserElementDuringDisposalOfAnotherIsDropped() {
        let (log, scheduler) = (Log(), scheduler)
        let attempts = (0..<3).map { _ in PublishSubject<Int>() }
        nonisolated(unsafe) var next = 0
        let call = Observable<Int>.deferred {
            defer { next += 1 }
            return next == 0 ? attempts[0].do(onDispose: { attempts[1].onNext(9) }) : attempts[next].asObservable()
        }
        let subscription = call.hedged(after: .seconds(10), most: 2, scheduler: scheduler).note(in: log)
        scheduler.start()
        attempts[2].onNext(3)
        attempts[2].onCompleted()
        #expect(log.text == "3 completed")
        subscription.dispose()
    }

    @Test func winnerEndedByTeardownOfLoserSendsItsAnswer() {
        let (log, scheduler) = (Log(), scheduler)
        let second = PublishSubject<Int>()
        let first = Observable<Int>.never().do(onDispose: { second.onCompleted() })
        let sources = Guarded([first, second.asObservable()])
        let call = Observable<Int>.deferred { sources.withLock { $0.removeFirst() } }
        let subscription = call.hedged(after: .seconds(10), scheduler: scheduler).note(in: log)
        scheduler.start()
        second.onNext(2)
        #expect(log.text == "2 completed")
        subscription.dispose()
    }

    @Test func elementPushedDuringAnswerIsSentBeforePushReturns() {
        let (log, source) = (Log(), PublishSubject<Int>())
        let subscription = source.hedged(after: .seconds(10), scheduler: scheduler).subscribe(onNext: { element in
            log("\(element)(")
            if element == 1 { source.onNext(2) }
            log(")")
        })
        source.onNext(1)
        #expect(log.text == "1( 2( ) )")
        subscription.dispose()
    }

    @Test func defaultIsOneHedge() throws {
        let (log, scheduler) = (Log(), scheduler)
        let slow = Single<Int>.timer(.seconds(100), scheduler: scheduler)
        let call = Observable<Int>.deferred {
            log("call")
            return slow.asObservable()
        }
        let subscription = call.hedged(after: .seconds(10), scheduler: scheduler).subscribe()
        scheduler.start()
        #expect(log.take() == "call call")
        subscription.dispose()
        let value = try onVirtualTime(scheduler) {
            try await hedging(after: .seconds(10), scheduler: scheduler) {
                log("run")
                return try await slow.value
            }
        }
        #expect(value == 0)
        #expect(log.text == "run run")
    }

    @Test func hedgedDisposalEndsAllAttempts() {
        expect(hedged("", "", "", most: 2, disposed: 215), "", ["^{14}!", "{10}^{4}!", nil])
    }

    @Test func immediateAnswerSetsNoTimer() {
        let call = Observable.just(1).hedged(after: .seconds(10), scheduler: scheduler)
        #expect(seen(call) == "1 completed")
        scheduler.start()
        #expect(scheduler.clock == 0)
    }

    @Test func answerCancelsNextHedge() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.startWith(1).hedged(after: .seconds(10), scheduler: scheduler).note(in: log)
        scheduler.start()
        #expect(scheduler.clock == 0)
        source.onNext(2)
        #expect(log.text == "1 2")
        subscription.dispose()
    }

    @Test func otherAttemptsAreDisposedBeforeAnswerIsSent() {
        let (log, second) = (Log(), PublishSubject<Int>())
        let sources = Guarded([Observable<Int>.never().noteLifetime(in: log, as: "a"), second.asObservable()])
        let call = Observable<Int>.deferred { sources.withLock { $0.removeFirst() } }
        let subscription = call.hedged(after: .seconds(10), scheduler: scheduler).subscribe(onNext: { log($0) })
        scheduler.start()
        second.onNext(2)
        #expect(log.text == "a+ a- 2")
        subscription.dispose()
    }

    @Test func tokenOfLateHedgeIsReturned() {
        let (subscription, isDue) = (SerialDisposable(), Guarded(false))
        // The budget reads the clock when the hedge takes a token. `whenRead` then disposes of the call.
        let clock = CountingScheduler(scheduler, whenRead: { if isDue.withLock({ $0 }) { subscription.dispose() } })
        let budget = RetryBudget(ratio: 0, burst: 1, perSecond: 0, scheduler: clock)
        let log = Log()
        subscription.disposable = Observable<Int>.never().noteLifetime(in: log, as: "")
            .hedged(after: .seconds(10), budget: budget, scheduler: scheduler).subscribe()
        isDue.withLock { $0 = true }
        scheduler.start()
        #expect(log.text == "+ -")
        #expect(budget.balance == 1)
    }

    @Test func answerDuringSubscriptionOfHedgeIsSentAtOnce() {
        let (log, first) = (Log(), PublishSubject<Int>())
        let call = Observable<Int>.deferred {
            log("asked")
            guard log.entries.count > 1 else { return first.asObservable() }
            try runOnThread { first.onNext(1) }
            log("made")
            return Observable.never().noteLifetime(in: log, as: "hedge")
        }
        let subscription = call.hedged(after: .seconds(10), scheduler: scheduler).subscribe(onNext: { log($0) })
        scheduler.start()
        #expect(log.text == "asked asked 1 made hedge+ hedge-")
        subscription.dispose()
    }

    @Test func eachSubscriptionSeesTheDeadline() {
        let log = Log()
        let call = Observable<Int>.create { _ in
            log(Deadline.current.map { "\($0.remaining)" } ?? "none")
            return Disposables.create()
        }
        _ = scheduler.start { [scheduler] in
            call.hedged(after: .seconds(10), scheduler: scheduler).deadline(in: .seconds(30), scheduler: scheduler)
        }
        #expect(log.entries == [30, 20].map { "\(RxTimeInterval.nanoseconds($0 * 1_000_000_000))" })
    }

    @Test(arguments: Form.allCases) func eachFormIsHedged(form: Form) {
        let (scheduler, log) = (scheduler, Log())
        let source = Observable<Int>.deferred {
            log("asked")
            return Observable<Int>.timer(
                .seconds(log.entries.count == 1 ? 50 : 5), scheduler: scheduler)
        }
        let span = RxTimeInterval.seconds(10)
        scheduler.start {
            form.apply(
                source, observable: { $0.hedged(after: span, scheduler: scheduler) },
                single: { $0.hedged(after: span, scheduler: scheduler) },
                maybe: { $0.hedged(after: span, scheduler: scheduler) },
                completable: { $0.hedged(after: span, scheduler: scheduler) })
        }
        .expect(form == .completable ? "{15}|" : "{15}(0|)")
        #expect(log.text == "asked asked")
    }

    @Test(arguments: Form.allCases) func inEachFormHedgesAreCountedAndCostTokens(form: Form) {
        let (scheduler, log, budget) = (scheduler, Log(), RetryBudget(ratio: 0, burst: 2))
        let source = Observable<Int>.never().noteLifetime(in: log, as: "")
        let span = RxTimeInterval.seconds(10)
        let hedged = form.apply(
            source, observable: { $0.hedged(after: span, most: 3, budget: budget, scheduler: scheduler) },
            single: { $0.hedged(after: span, most: 3, budget: budget, scheduler: scheduler) },
            maybe: { $0.hedged(after: span, most: 3, budget: budget, scheduler: scheduler) },
            completable: { $0.hedged(after: span, most: 3, budget: budget, scheduler: scheduler) })
        let subscription = hedged.subscribe()
        scheduler.start()
        #expect(log.text == "+ + +")
        #expect(budget.balance == 0)
        subscription.dispose()
    }

    @Test func inATaskHedgesAreCountedAndCostTokens() throws {
        let (scheduler, log, budget) = (TestScheduler.milliseconds(), Log(), RetryBudget(ratio: 0, burst: 2))
        let value = try onVirtualTime(scheduler) {
            try await hedging(after: .milliseconds(10), most: 3, budget: budget, scheduler: scheduler) {
                log("begun@\(scheduler.clock)")
                return try await Single<Int>.timer(.milliseconds(100), scheduler: scheduler).value
            }
        }
        #expect(value == 0)
        #expect(log.text == "begun@0 begun@10 begun@20")
        #expect(budget.balance == 0)
    }

    @Test func slowerTaskIsCancelled() throws {
        let (scheduler, log) = (TestScheduler.milliseconds(), Log())
        let value = try onVirtualTime(scheduler) {
            try await hedging(after: .milliseconds(10), scheduler: scheduler) {
                log("begun@\(scheduler.clock)")
                let isFirst = log.entries.count == 1
                do {
                    _ = try await Single<Int>.timer(.milliseconds(isFirst ? 500 : 5), scheduler: scheduler).value
                } catch {
                    log("\(error is CancellationError)@\(scheduler.clock)")
                }
                return isFirst ? 1 : 2
            }
        }
        #expect(value == 2)
        #expect(log.text == "begun@0 begun@10 true@15")
        #expect(scheduler.clock == 15)
    }

    @Test func callWithConcurrentAnswersGivesOneAndStopsAttempts() throws {
        let clock = TestScheduler(initialClock: 0)
        for _ in 0..<200 {
            let (answers, running) = (Guarded<[Int]>([]), Guarded(0))
            let runners = Guarded<[AnyObserver<Int>]>([])
            let call = Observable<Int>.create { observer in
                runners.withLock { $0.append(observer) }
                running.withLock { $0 += 1 }
                return Disposables.create { running.withLock { $0 -= 1 } }
            }
            let subscription = call.hedged(after: .seconds(1), most: 3, scheduler: clock)
                .subscribe(onNext: { answer in answers.withLock { $0.append(answer) } })
            clock.start()
            let observers = runners.withLock { $0 }
            #expect(observers.count == 4)
            try runConcurrently(threads: 4) { index in
                observers[index].onNext(index)
                observers[index].onNext(index)
            }
            let got = answers.withLock { $0 }
            #expect(got.count == 2 && got.first == got.last)
            #expect(running.withLock { $0 } == 1)
            subscription.dispose()
            #expect(running.withLock { $0 } == 0)
        }
    }

    @Test func aNegativeNumberOfHedgesStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scheduler = TestScheduler(initialClock: 0)
            _ = Observable.of(1).hedged(after: .seconds(1), most: -1, scheduler: scheduler)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A count can't be negative (hedged, most: -1)"))
    }
}
