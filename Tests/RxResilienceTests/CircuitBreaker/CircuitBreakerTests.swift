import RxResilience
import RxTest
import TestSupport
import Testing

struct CircuitBreakerTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    private func succeed(_ breaker: CircuitBreaker, _ count: Int = 1) {
        for _ in 0..<count { _ = Observable<Int>.empty().guarded(by: breaker).subscribe(onError: { _ in }) }
    }

    private func fail(_ breaker: CircuitBreaker, _ count: Int = 1, _ error: TestError = .a) {
        for _ in 0..<count { _ = Observable<Int>.error(error).guarded(by: breaker).subscribe(onError: { _ in }) }
    }

    private func refusal(_ breaker: CircuitBreaker) -> CircuitOpen? {
        nonisolated(unsafe) var refusal: CircuitOpen?
        _ = Observable<Int>.empty().guarded(by: breaker).subscribe(onError: { refusal = $0 as? CircuitOpen })
        return refusal
    }

    private func breaker(
        _ window: CircuitBreaker.Window = .calls(4), minimumCalls: Int = 4, failureRate: Double = 0.5,
        slowRate: Double = 1, trials: Int = 2
    ) -> CircuitBreaker {
        CircuitBreaker(
            "test", window: window, minimumCalls: minimumCalls, failureRate: failureRate, slowRate: slowRate,
            slowAfter: .seconds(3), openFor: .seconds(10), trials: trials, scheduler: scheduler,
            judging: { error in
                switch error as? TestError {
                case .b: .ignored
                case .c: .success
                default: .failure
                }
            })
    }

    @Test func documentationDiagramMatchesBehavior() throws {
        let drawing = Drawing()
        let scheduler = drawing.scheduler
        let breaker = CircuitBreaker(
            "page", window: .calls(6), minimumCalls: 4, openFor: .seconds(8), trials: 2, scheduler: scheduler)
        let isWell = { (time: Int) in !(6...18).contains(time) }
        nonisolated(unsafe) var calls: [Int: Character] = [:], states: [Int: Character] = [:]
        for time in 0...34 {
            scheduler.scheduleAt(time) {
                let source: Observable<Int> = isWell(time) ? .empty() : .error(TestError.a)
                _ = source.guarded(by: breaker).subscribe(
                    onError: { calls[time] = $0 is CircuitOpen ? "x" : "#" }, onCompleted: { calls[time] = "|" })
                states[time] =
                    switch breaker.state {
                    case .open: "O"
                    case .halfOpen: "h"
                    default: "-"
                    }
            }
        }
        drawing.row("the dependency") { isWell($0) ? "-" : "X" }
        drawing.row("calls") { calls[$0] ?? " " }
        drawing.row("breaker") { states[$0] ?? " " }
        try expectPage("CircuitBreakers", shows: drawing.run(until: 34))
    }

    @Test func itOpensWhenTheRateIsReached() {
        let breaker = breaker()
        fail(breaker, 2)
        succeed(breaker)
        #expect(breaker.state == .closed)
        succeed(breaker)
        #expect(breaker.state == .open)
        let refused = CircuitOpen(name: "test", state: .open, retryAfter: .seconds(10))
        #expect(refusal(breaker) == refused)
        #expect("\(refused)" == "The circuit breaker test rejects the call: it is open.")
    }

    @Test func defaultWindowIsLastHundredCalls() {
        let breaker = CircuitBreaker("test", scheduler: scheduler)
        succeed(breaker)
        for _ in 0..<49 {
            fail(breaker)
            succeed(breaker)
        }
        succeed(breaker)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func defaultMinimumIsHundredCalls() {
        let breaker = CircuitBreaker("test", window: .span(.seconds(10)), scheduler: scheduler)
        fail(breaker, 99)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test(
        arguments: [
            BulkheadFull(name: "full", running: 1, waiting: 0),
            RateLimitReached(name: "reached", waiting: 0, retryAfter: .seconds(1)),
            CircuitOpen(name: "another", state: .open, retryAfter: nil),
        ] as [any Error & Sendable])
    func defaultClassificationIgnoresRefusedCalls(refusal: any Error & Sendable) {
        let breaker = CircuitBreaker("test", window: .calls(1), scheduler: scheduler)
        _ = Observable<Int>.error(refusal).guarded(by: breaker).subscribe(onError: { _ in })
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func trialRefusedByBulkheadIsReturned() {
        let breaker = CircuitBreaker(
            "test", window: .calls(1), openFor: .seconds(10), trials: 1, scheduler: scheduler)
        let bulkhead = Bulkhead(1)
        let running = Observable<Int>.never().admitted(by: bulkhead).subscribe()
        let call = Observable<Int>.empty().admitted(by: bulkhead).guarded(by: breaker)
        fail(breaker)
        scheduler.advanceTo(10)
        _ = call.subscribe(onError: { _ in })
        #expect(breaker.state == .halfOpen)
        running.dispose()
        #expect(seen(call) == "completed" && breaker.state == .closed)
    }

    @Test func onlyTheLastCallsCount() {
        let breaker = breaker(minimumCalls: 1, failureRate: 0.75)
        succeed(breaker)
        for _ in 0..<10 {
            fail(breaker, 2)
            succeed(breaker, 2)
        }
        #expect(breaker.state == .closed)
        fail(breaker, 2)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func windowOfFewerCallsThanTheDefaultMinimumOpensWhenFull() {
        let breaker = CircuitBreaker("test", window: .calls(2), scheduler: scheduler)
        fail(breaker)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func minimumCallsAsLargeAsTheWindowOpenIt() {
        let breaker = breaker(.calls(2), minimumCalls: 2)
        fail(breaker, 2)
        #expect(breaker.state == .open)
    }

    @Test func windowSpanDropsCallsInTenths() {
        let breaker = breaker(.span(.seconds(10)), minimumCalls: 2, failureRate: 1)
        fail(breaker)
        scheduler.advanceTo(10)
        fail(breaker)
        #expect(breaker.state == .closed)
        scheduler.advanceTo(19)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func windowSpanOfFewNanosecondsIsAccepted() {
        let breaker = breaker(.span(.nanoseconds(9)), minimumCalls: 2, failureRate: 1)
        fail(breaker, 2)
        #expect(breaker.state == .open)
    }

    @Test func slowCallsOpenBreaker() {
        let breaker = breaker(minimumCalls: 2)
        for span in [3, 4, 4, 5, 4] {
            _ = scheduler.createColdObservable([Recorded<Event<Int>>.completed(span)]).guarded(by: breaker).subscribe()
            scheduler.start()
        }
        // The breaker opened when the first call, which is not slow, left the window.
        #expect(breaker.state == .open)
    }

    @Test func aCallOfTheLimitIsNotSlow() {
        let breaker = breaker(.calls(1), minimumCalls: 1)
        _ = scheduler.createColdObservable([Recorded<Event<Int>>.completed(3)]).guarded(by: breaker).subscribe()
        scheduler.start()
        #expect(breaker.state == .closed)
    }

    @Test func errorsAreCountedByClassification() {
        let breaker = breaker(.calls(2), minimumCalls: 2, failureRate: 1)
        fail(breaker)
        fail(breaker, 5, .b)
        #expect(breaker.state == .closed)
        fail(breaker, 1, .c)
        #expect(breaker.state == .closed)
        fail(breaker, 2)
        #expect(breaker.state == .open)
    }

    @Test func breakerOpenForeverReportsRetryAfterNever() {
        let breaker = CircuitBreaker("test", window: .calls(1), openFor: .never, scheduler: scheduler)
        fail(breaker)
        scheduler.advanceTo(10)
        #expect(refusal(breaker)?.retryAfter == .never)
    }

    @Test func firstCallAfterOpenTimeIsTrial() {
        let breaker = breaker()
        fail(breaker, 4)
        scheduler.advanceTo(9)
        #expect(refusal(breaker)?.retryAfter == .seconds(1))
        scheduler.advanceTo(10)
        #expect(breaker.state == .open)
        succeed(breaker)
        #expect(breaker.state == .halfOpen)
        succeed(breaker)
        #expect(breaker.state == .closed)
        fail(breaker, 3)
        #expect(breaker.state == .closed)
    }

    @Test func trialsThatFailOpenItAgain() {
        let breaker = breaker()
        fail(breaker, 4)
        scheduler.advanceTo(10)
        fail(breaker)
        #expect(breaker.state == .halfOpen)
        succeed(breaker)
        #expect(breaker.state == .open)
        scheduler.advanceTo(15)
        #expect(refusal(breaker)?.retryAfter == .seconds(5))
    }

    @Test func halfOpenBreakerAdmitsOnlyConfiguredTrials() {
        let breaker = breaker()
        fail(breaker, 4)
        scheduler.advanceTo(10)
        let trials = (0..<2).map { _ in PublishSubject<Int>() }
        for trial in trials { _ = trial.guarded(by: breaker).subscribe() }
        #expect(refusal(breaker) == CircuitOpen(name: "test", state: .halfOpen, retryAfter: nil))
        for trial in trials { trial.onCompleted() }
        #expect(breaker.state == .closed)
    }

    @Test func trialIsReturnedOnceDisposed() {
        let breaker = breaker()
        fail(breaker, 4)
        scheduler.advanceTo(10)
        let trials = (0..<2).map { _ in Observable<Int>.never().guarded(by: breaker).subscribe() }
        #expect(refusal(breaker) != nil)
        trials[0].dispose()
        trials[0].dispose()
        #expect(breaker.state == .halfOpen)
        // The next call takes the returned trial, and is the first of the two successes that close the breaker.
        #expect(refusal(breaker) == nil)
        #expect(refusal(breaker) != nil)
        trials[1].dispose()
        succeed(breaker)
        #expect(breaker.state == .closed)
    }

    @Test func trialWithIgnoredErrorIsReturned() {
        let breaker = breaker()
        fail(breaker, 4)
        scheduler.advanceTo(10)
        fail(breaker, 5, .b)
        #expect(breaker.state == .halfOpen)
        succeed(breaker, 2)
        #expect(breaker.state == .closed)
    }

    @Test func trialResourceIsReleasedBeforeTrialIsReturned() {
        let (breaker, log) = (breaker(trials: 1), log)
        fail(breaker, 4)
        scheduler.advanceTo(10)
        let trial = PublishSubject<Int>()
        _ = trial.do(onDispose: { log("gone \(refusal(breaker) != nil)") }).guarded(by: breaker)
            .note(in: log, as: "trial")
        trial.onError(TestError.b)
        #expect(log.text == "gone true trialerror(b)")
        #expect(refusal(breaker) == nil)
    }

    @Test func callAdmittedInEarlierStateDoesNotCount() {
        let breaker = breaker()
        let early = (0..<3).map { _ in PublishSubject<Int>() }
        for call in early { _ = call.guarded(by: breaker).subscribe(onError: { _ in }) }
        fail(breaker, 4)
        early[0].onError(TestError.a)
        scheduler.advanceTo(10)
        succeed(breaker)
        early[1].onError(TestError.a)
        #expect(breaker.state == .halfOpen)
        succeed(breaker)
        #expect(breaker.state == .closed)
        fail(breaker, 1)
        early[2].onError(TestError.a)
        succeed(breaker, 2)
        #expect(breaker.state == .closed)
    }

    @Test func callAdmittedBeforeResetDoesNotCountInSameState() {
        let breaker = breaker(.calls(1), minimumCalls: 1, failureRate: 1)
        let early = PublishSubject<Int>()
        _ = early.guarded(by: breaker).subscribe(onError: { _ in })
        breaker.reset()
        early.onError(TestError.a)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func callEndingAfterClockSetBackCountsInNewestSlice() {
        let breaker = breaker(.span(.seconds(10)), minimumCalls: 2, failureRate: 1)
        scheduler.advanceTo(25)
        fail(breaker)
        scheduler.advanceTo(3)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func zeroTrialsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", trials: 0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A breaker needs at least one trial (CircuitBreaker, trials: 0)"))
    }

    @Test func aWindowWithoutACallStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", window: .calls(0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A window needs at least one call (CircuitBreaker, window: 0)"))
    }

    @Test func aNegativeNumberOfCallsStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", minimumCalls: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A count can't be negative (CircuitBreaker, minimumCalls: -1)"))
    }

    @Test func failureRateOfZeroStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", failureRate: 0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains(
                "A rate is a share of the calls, above 0 and up to 1: 0.5 is half of them "
                    + "(CircuitBreaker, failureRate: 0.0)"))
    }

    @Test func failureRateInPercentStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("percent", window: .calls(10), minimumCalls: 10, failureRate: 50)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("0.5 is half of them (CircuitBreaker, failureRate: 50.0)"))
    }

    @Test func slowRateAboveOneStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", slowRate: 1.5)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("0.5 is half of them (CircuitBreaker, slowRate: 1.5)"))
    }

    @Test func slowRateOfNaNStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", slowRate: .nan)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("0.5 is half of them (CircuitBreaker, slowRate: nan)"))
    }

    @Test func minimumCallsAboveTheWindowStopTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("too few", window: .calls(10), minimumCalls: 20, failureRate: 0.5)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains(
                "A window of 10 calls never holds as many calls as the breaker needs before it opens "
                    + "(CircuitBreaker, minimumCalls: 20)"))
    }

    @Test func windowWithoutTimeStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("test", window: .span(.seconds(0)))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A window needs a span longer than zero (CircuitBreaker, window: seconds(0))"))
    }

    @Test func slowAfterNeverCountsNoCallAsSlow() {
        let breaker = CircuitBreaker(
            "test", window: .calls(1), slowRate: 0.1, slowAfter: .never, scheduler: scheduler)
        _ = scheduler.createColdObservable([Recorded<Event<Int>>.completed(1_000_000)]).guarded(by: breaker).subscribe()
        scheduler.start()
        #expect(breaker.state == .closed)
    }

    @Test func aWindowOfOneCallIsEnough() {
        let breaker = CircuitBreaker("test", window: .calls(1), scheduler: scheduler)
        succeed(breaker)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func aSlowTrialCountsOnce() {
        let breaker = breaker(slowRate: 1, trials: 2)
        fail(breaker, 4)
        scheduler.advanceTo(10)
        _ = scheduler.createColdObservable([Recorded<Event<Int>>.completed(4)]).guarded(by: breaker).subscribe()
        scheduler.start()
        succeed(breaker)
        #expect(breaker.state == .closed)
    }

    @Test func trialsThatAreAllSlowOpenItAgain() {
        let breaker = breaker(slowRate: 1, trials: 2)
        fail(breaker, 4)
        scheduler.advanceTo(10)
        let slow = scheduler.createColdObservable([Recorded<Event<Int>>.completed(4)])
        for _ in 0..<2 { _ = slow.guarded(by: breaker).subscribe() }
        scheduler.start()
        #expect(breaker.state == .open)
    }

    @Test func forcedStateLastsUntilReset() {
        let breaker = breaker()
        breaker.forceOpen()
        scheduler.advanceTo(100)
        #expect(refusal(breaker) == CircuitOpen(name: "test", state: .forcedOpen, retryAfter: nil))
        breaker.disable()
        fail(breaker, 10)
        #expect(breaker.state == .disabled)
        #expect(refusal(breaker) == nil)
        breaker.reset()
        #expect(breaker.state == .closed)
        fail(breaker, 3)
        breaker.reset()
        fail(breaker, 3)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func statesAreSentToObserver() {
        let breaker = breaker()
        let subscription = breaker.states.note(in: log)
        fail(breaker, 4)
        scheduler.advanceTo(10)
        succeed(breaker, 2)
        breaker.reset()
        breaker.forceOpen()
        subscription.dispose()
        breaker.disable()
        #expect(log.text == "closed open halfOpen closed forcedOpen")
    }

    @Test func stateChangeFromObserverIsSentInOrder() {
        let breaker = breaker()
        let log = log
        let subscriptions = ["a", "b"].map { name in
            breaker.states.subscribe(onNext: { state in
                log("\(name):\(state)")
                if state == .open { breaker.reset() }
            })
        }
        fail(breaker, 4)
        #expect(log.text == "a:closed b:closed a:open b:open a:closed b:closed")
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test func severalStateChangesFromObserverAreSentInOrder() {
        let (breaker, log) = (breaker(), log)
        let subscription = breaker.states.subscribe(onNext: { state in
            log(state)
            guard state == .open else { return }
            breaker.forceOpen()
            breaker.disable()
        })
        fail(breaker, 4)
        #expect(log.text == "closed open forcedOpen disabled")
        subscription.dispose()
    }

    @Test func callWithoutStateChangeKeepsOrderOfStates() {
        let (breaker, log) = (breaker(), log)
        let subscriptions = ["a", "b"].map { name in
            breaker.states.subscribe(onNext: { [self] state in
                log("\(name):\(state)")
                guard name == "a", state == .open else { return }
                breaker.reset()
                succeed(breaker)
            })
        }
        fail(breaker, 4)
        #expect(log.text == "a:closed b:closed a:open b:open a:closed b:closed")
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test func defaultSlowCallLimitIsOneMinute() {
        let breaker = CircuitBreaker("test", window: .calls(1), scheduler: scheduler)
        let call = { [scheduler] (span: Int) in
            _ = scheduler.createColdObservable([Recorded<Event<Int>>.completed(span)]).guarded(by: breaker).subscribe()
            scheduler.start()
        }
        call(60)
        #expect(breaker.state == .closed)
        call(61)
        #expect(breaker.state == .open)
    }

    @Test func defaultOpenTimeIsOneMinuteWithTenTrials() {
        let breaker = CircuitBreaker("test", window: .calls(1), scheduler: scheduler)
        fail(breaker)
        #expect(refusal(breaker)?.retryAfter == .seconds(60))
        scheduler.advanceTo(60)
        succeed(breaker, 9)
        #expect(breaker.state == .halfOpen)
        succeed(breaker)
        #expect(breaker.state == .closed)
    }

    @Test func defaultBreakerOpensAtHalfOfHundredCallsFailing() {
        let breaker = CircuitBreaker("test", scheduler: scheduler)
        fail(breaker, 99)
        #expect(breaker.state == .closed)
        succeed(breaker)
        #expect(breaker.state == .open)
        breaker.reset()
        succeed(breaker, 51)
        fail(breaker, 49)
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func traitCallsAreCounted() {
        let breaker = breaker(.calls(8), minimumCalls: 8, failureRate: 0.5)
        for error in [nil, TestError.a] {
            let source: Observable<Int> = if let error { .error(error) } else { .just(1) }
            _ = source.asSingle().guarded(by: breaker).subscribe(onFailure: { _ in })
            _ = source.asMaybe().guarded(by: breaker).subscribe(onError: { _ in })
            _ = source.ignoreElements().asCompletable().guarded(by: breaker).subscribe(onError: { _ in })
        }
        _ = Maybe<Int>.empty().guarded(by: breaker).subscribe()
        #expect(breaker.state == .closed)
        fail(breaker)
        #expect(breaker.state == .open)
    }

    @Test func workIsGuarded() async throws {
        let breaker = breaker(.calls(2), minimumCalls: 2, failureRate: 1)
        #expect(try await breaker.run { 7 } == 7)
        for _ in 0..<2 { await #expect(throws: TestError.a) { try await breaker.run { throw TestError.a } } }
        await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
    }

    @Test func cancelledWorkIsNotCounted() async throws {
        let breaker = breaker(.calls(1), minimumCalls: 1, failureRate: 1)
        let task = Task {
            try await breaker.run {
                withUnsafeCurrentTask { $0?.cancel() }
                throw TestError.a
            }
        }
        await #expect(throws: TestError.a) { try await task.value }
        #expect(breaker.state == .closed)
    }

    @Test func trialOfCancelledTaskIsReturned() async {
        let breaker = breaker(trials: 1)
        fail(breaker, 4)
        scheduler.advanceTo(10)
        let task = Task {
            try await breaker.run {
                withUnsafeCurrentTask { $0?.cancel() }
                throw TestError.a
            }
        }
        await #expect(throws: TestError.a) { try await task.value }
        #expect(breaker.state == .halfOpen)
        succeed(breaker)
        #expect(breaker.state == .closed)
    }

    @Test func taskCancelledBeforeRunDoesNotStartWork() async throws {
        let (breaker, log) = (breaker(.calls(1), minimumCalls: 1, failureRate: 1), Log())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await breaker.run { log("work") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "")
        #expect(breaker.state == .closed)
    }

    @Test func taskCancelledBeforeRunIsNotRefused() async {
        let breaker = breaker(trials: 1)
        fail(breaker, 4)
        #expect(refusal(breaker) != nil)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await breaker.run {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
