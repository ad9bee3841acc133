import Dispatch
import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

struct RateLimiterTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    private func call(_ name: String, at time: Int, _ limiter: RateLimiter) {
        scheduler.scheduleAt(time) { [scheduler, log] in
            _ = Observable.just(0).do(onSubscribe: { log("\(name)@\(scheduler.clock)") }).limited(by: limiter)
                .subscribe(onError: { log("\(name):\($0)") })
        }
    }

    @Test func documentationDiagramMatchesBehavior() throws {
        let drawing = Drawing()
        let limiter = RateLimiter(1, per: .seconds(4), burst: 2, waiting: 2, scheduler: drawing.scheduler)
        drawing.call("a", at: 0, lasts: 3) { $0.limited(by: limiter) }
        drawing.call("b", at: 1, lasts: 3) { $0.limited(by: limiter) }
        drawing.call("c", at: 2, lasts: 3) { $0.limited(by: limiter) }
        drawing.call("d", at: 3, lasts: 3, disposedAt: 6) { $0.limited(by: limiter) }
        drawing.call("e", at: 5, lasts: 3) { $0.limited(by: limiter) }
        drawing.call("f", at: 6, lasts: 3) { $0.limited(by: limiter) }
        drawing.call("g", at: 7, lasts: 3) { $0.limited(by: limiter) }
        try expectPage("RateLimiters", shows: drawing.run(until: 20))
    }

    @Test func callsBeginEvenlyAfterTheBurst() {
        let limiter = RateLimiter(2, per: .seconds(10), burst: 3, scheduler: scheduler)
        for (index, name) in "abcdef".enumerated() { call(String(name), at: index < 5 ? 0 : 100, limiter) }
        scheduler.start()
        #expect(log.text == "a@0 b@0 c@0 d@5 e@10 f@100")
    }

    /// The product of burst and interval exceeds half of `Int64.max` nanoseconds.
    @Test func largeBurstWithSlowRefillStartsNoCallEarly() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 86_400, simulateProcessingDelay: false)
        let limiter = RateLimiter(1, per: .seconds(60 * 86_400), burst: 1_000, waiting: 2, scheduler: scheduler)
        for _ in 0..<1_000 { _ = Observable.just(0).limited(by: limiter).subscribe() }
        for name in ["a", "b"] {
            _ = Observable.just(0).limited(by: limiter)
                .subscribe(onNext: { [log] _ in log("\(name)@\(scheduler.clock)") })
        }
        _ = Observable.just(0).limited(by: limiter).subscribe(onError: { [log] error in
            log("\((error as? RateLimitReached)?.retryAfter == .nanoseconds(180 * 86_400 * 1_000_000_000))")
        })
        scheduler.start()
        #expect(log.text == "true a@60 b@120")
    }

    @Test func largeBurstThatRestsIsFilledAtTheRate() {
        let limiter = RateLimiter(1, per: .seconds(10), burst: 4, waiting: 0, scheduler: scheduler)
        for name in ["a", "b", "c", "d"] { call(name, at: 0, limiter) }
        // After 25 seconds, 2.5 permits are available.
        for name in ["e", "f", "g"] { call(name, at: 25, limiter) }
        call("h", at: 29, limiter)
        call("i", at: 30, limiter)
        scheduler.start()
        let refused = "The queue of the limiter limiter is full: 0 waiting."
        #expect(log.text == "a@0 b@0 c@0 d@0 e@25 f@25 g:\(refused) h:\(refused) i@30")
    }

    @Test func pacedElementsWaitWhileQueueIsFull() {
        let limiter = RateLimiter(1, per: .seconds(10), waiting: 1, scheduler: scheduler)
        call("a", at: 0, limiter)
        call("b", at: 1, limiter)
        scheduler.scheduleAt(2) { [scheduler, log] in
            _ = Observable.of("x", "y").paced(by: limiter)
                .subscribe(onNext: { log("\($0)@\(scheduler.clock)") }, onError: { log("\($0)") })
        }
        call("c", at: 3, limiter)
        scheduler.start()
        #expect(log.text == "a@0 c:The queue of the limiter limiter is full: 2 waiting. b@10 x@20 y@30")
    }

    /// The time to these dates, in nanoseconds, does not fit into 64 bits.
    @Test(arguments: [RxTime.distantPast, .distantFuture]) func clockFarFromNowIsAccepted(begin: RxTime) {
        let scheduler = HistoricalScheduler(initialClock: begin)
        let limiter = RateLimiter(1, per: .seconds(10), burst: 3, scheduler: scheduler)
        for name in ["a", "b", "c"] {
            _ = Observable.just(name).limited(by: limiter).subscribe(onNext: { [log] in log($0) })
        }
        #expect(log.text == "a b c")
    }

    @Test func callArrivingWithAPermitQueuesBehindWaitingCall() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        call("a", at: 0, limiter)
        call("b", at: 1, limiter)
        // The action of `call` runs at 10 before the limiter's timer for 10, because the action was scheduled first.
        call("c", at: 10, limiter)
        scheduler.start()
        #expect(log.text == "a@0 b@10 c@20")
    }

    @Test func idleTimeFillsAtMostBurst() {
        let limiter = RateLimiter(1, per: .seconds(10), burst: 2, scheduler: scheduler)
        for name in "abcd" { call(String(name), at: name == "a" ? 0 : 1_000, limiter) }
        scheduler.start()
        #expect(log.text == "a@0 b@1000 c@1000 d@1010")
    }

    @Test func coarseClockRoundingDoesNotAccumulate() {
        let limiter = RateLimiter(3, per: .seconds(10), scheduler: scheduler)
        for name in "abcde" { call(String(name), at: 0, limiter) }
        scheduler.start()
        #expect(log.text == "a@0 b@3 c@7 d@10 e@14")
    }

    @Test func coarseClockTimerGrantsPermitWhenItFires() {
        let (scheduler, log) = (TestScheduler.milliseconds(), log)
        let limiter = RateLimiter(
            3, per: .seconds(1), scheduler: CountingScheduler(scheduler, stoppedAfter: 1_000))
        for _ in 0..<4 {
            _ = Observable.just(0).limited(by: limiter).subscribe(onNext: { _ in log(scheduler.clock) })
        }
        scheduler.start()
        #expect(log.text == "0 333 667 1000")
    }

    @Test func aPartOfANanosecondIsRoundedUpToOne() {
        let limiter = RateLimiter(3, per: .nanoseconds(10), waiting: 0, scheduler: scheduler)
        call("a", at: 0, limiter)
        nonisolated(unsafe) var failure: RateLimitReached?
        scheduler.scheduleAt(0) {
            _ = Observable.just(0).limited(by: limiter).subscribe(onError: { failure = $0 as? RateLimitReached })
        }
        scheduler.start()
        #expect(failure?.retryAfter == .nanoseconds(4))
    }

    @Test func retryAfterIsExactForWholeIntervals() {
        let limiter = RateLimiter(5, per: .nanoseconds(10), waiting: 0, scheduler: scheduler)
        call("a", at: 0, limiter)
        nonisolated(unsafe) var failure: RateLimitReached?
        scheduler.scheduleAt(0) {
            _ = Observable.just(0).limited(by: limiter).subscribe(onError: { failure = $0 as? RateLimitReached })
        }
        scheduler.start()
        #expect(failure?.retryAfter == .nanoseconds(2))
    }

    @Test func callWithoutPermitOrQueueFailsAtOnce() {
        let limiter = RateLimiter(1, per: .seconds(10), waiting: 0, name: "mail", scheduler: scheduler)
        call("a", at: 0, limiter)
        call("b", at: 4, limiter)
        call("c", at: 10, limiter)
        scheduler.start()
        #expect(log.text == "a@0 b:The queue of the limiter mail is full: 0 waiting. c@10")
    }

    @Test func limitOfZeroStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RateLimiter(0, per: .seconds(1))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A limiter needs at least one permit (RateLimiter, limit: 0)"))
    }

    @Test func aLimitForNoTimeStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RateLimiter(5, per: .seconds(0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A limit needs a span longer than zero (RateLimiter, per: seconds(0))"))
    }

    @Test func burstOfZeroStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RateLimiter(1, per: .seconds(1), burst: 0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A limiter needs at least one permit (RateLimiter, burst: 0)"))
    }

    @Test func negativeWaitingTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RateLimiter(1, per: .seconds(1), waiting: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A count can't be negative (RateLimiter, waiting: -1)"))
    }

    @Test func burstCompensatesForTimerRounding() {
        let limiter = RateLimiter(2, per: .seconds(5), burst: 2, scheduler: scheduler)
        for name in "abcde" { call(String(name), at: 0, limiter) }
        scheduler.start()
        #expect(log.text == "a@0 b@0 c@3 d@5 e@8")
    }

    @Test func callDisposedBeforeStartUsesNoPermit() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        let gone = Observable.just(0).do(onSubscribe: { [log] in log("b") }).limited(by: limiter)
        scheduler.scheduleAt(0) { gone.take(until: Observable.just(())).subscribe().dispose() }
        call("c", at: 1, limiter)
        scheduler.start()
        #expect(log.text == "c@1")
    }

    @Test func callDisposedWhileWaitingUsesNoPermit() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        call("a", at: 0, limiter)
        let gone = Observable.just(0).do(onSubscribe: { [log] in log("b") }).limited(by: limiter)
        scheduler.scheduleAt(1) { [scheduler] in
            let subscription = gone.subscribe()
            scheduler.scheduleAt(9) { subscription.dispose() }
        }
        call("c", at: 2, limiter)
        scheduler.start()
        #expect(log.text == "a@0 c@10")
    }

    @Test func callDisposedDuringAdmissionUsesItsPermit() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        let own = SingleAssignmentDisposable()
        call("a", at: 0, limiter)
        scheduler.scheduleAt(1) { [log, scheduler] in
            let suicidal = Observable<Int>.deferred {
                own.dispose()
                log("b@\(scheduler.clock)")
                return .never()
            }
            own.setDisposable(suicidal.limited(by: limiter).subscribe())
        }
        call("c", at: 2, limiter)
        scheduler.start()
        #expect(log.text == "a@0 b@10 c@20")
    }

    @Test(arguments: [false, true]) func waitingCallDueAtAnotherEndStartsOnScheduler(isDisposed: Bool) {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        let first = PublishSubject<Int>()
        let subscription = first.limited(by: limiter).subscribe()
        call("b", at: 1, limiter)
        scheduler.advanceTo(1)
        // Advances past the time of `b` without running its timer.
        scheduler.sleep(20)
        if isDisposed { subscription.dispose() } else { first.onCompleted() }
        log("over")
        scheduler.start()
        #expect(log.text == "over b@21")
    }

    @Test func waitingCallDueDuringAnotherStartStartsOnScheduler() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        let first = Observable<Int>.deferred { [self] in
            call("b", at: 1, limiter)
            scheduler.advanceTo(1)
            scheduler.sleep(20)
            return .never()
        }
        let subscription = first.limited(by: limiter).subscribe()
        log("over")
        scheduler.start()
        #expect(log.text == "over b@21")
        subscription.dispose()
    }

    @Test func lateTimerStartsAllCallsWithPermits() {
        let limiter = RateLimiter(1, per: .seconds(10), burst: 2, scheduler: scheduler)
        for name in "abcde" { call(String(name), at: 0, limiter) }
        scheduler.advanceTo(0)
        scheduler.sleep(50)
        scheduler.start()
        #expect(log.text == "a@0 b@0 c@50 d@50 e@60")
    }

    /// The second call's source blocks its thread until the third call has completed.
    @Test func slowStartDoesNotDelayNextCall() {
        let (pool, log) = (PthreadPoolScheduler(maxThreads: 2), log)
        let (isNext, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let limiter = RateLimiter(1, per: .milliseconds(1), scheduler: pool)
        _ = Observable<Int>.empty().limited(by: limiter).subscribe()
        let long = Observable<Int>.deferred {
            log(isNext.wait(timeout: .now() + 10) == .success)
            isDone.signal()
            return .empty()
        }
        _ = long.limited(by: limiter).subscribe()
        _ = Observable<Int>.empty().limited(by: limiter).subscribe(onCompleted: { isNext.signal() })
        isDone.wait()
        #expect(log.text == "true")
        pool.shutdown(.drain)
    }

    @Test func callDisposedAsPermitArrivesPassesItOnAndCancelsTimer() {
        let (limiter, scheduler) = (RateLimiter(1, per: .seconds(10), scheduler: scheduler), scheduler)
        // One disposal ends both calls. The permit of `second` arrives while `first` is torn down.
        let first = Observable<Int>.never().do(onDispose: { scheduler.advanceTo(10) }).limited(by: limiter)
        let second = Observable.just(2).do(onSubscribe: { [log] in log("b") }).limited(by: limiter)
        let subscription = Observable.merge(first, second).subscribe()
        call("c", at: 1, limiter)
        scheduler.advanceTo(1)
        subscription.dispose()
        scheduler.start()
        #expect(log.text == "c@10")
        #expect(scheduler.clock == 10)
    }

    @Test func lastDisposedWaitingCallCancelsTimer() {
        let limiter = RateLimiter(1, per: .seconds(1_000), scheduler: scheduler)
        call("a", at: 0, limiter)
        scheduler.scheduleAt(1) { [scheduler] in
            let subscription = Observable.just(0).limited(by: limiter).subscribe()
            scheduler.scheduleAt(2) { subscription.dispose() }
        }
        scheduler.start()
        #expect(scheduler.clock < 10)
        call("b", at: 3, limiter)
        scheduler.start()
        #expect(log.text == "a@0 b@1000")
    }

    @Test func fullQueueFailsAtOnceWithRetryAfter() {
        let limiter = RateLimiter(1, per: .seconds(10), waiting: 1, name: "mail", scheduler: scheduler)
        call("a", at: 0, limiter)
        call("b", at: 1, limiter)
        nonisolated(unsafe) var failure: (any Error)?
        scheduler.scheduleAt(3) {
            _ = Observable.just(0).limited(by: limiter).subscribe(onError: { failure = $0 })
        }
        scheduler.start()
        #expect(failure as? RateLimitReached == RateLimitReached(name: "mail", waiting: 1, retryAfter: .seconds(17)))
        #expect("\(failure!)" == "The queue of the limiter mail is full: 1 waiting.")
    }

    @Test func overflowingWaitGivesRetryAfterNever() {
        let limiter = RateLimiter(1, per: .never, waiting: 5, scheduler: scheduler)
        let calls = (0..<6).map { _ in Observable.just(0).limited(by: limiter).subscribe() }
        nonisolated(unsafe) var failure: RateLimitReached?
        _ = Observable.just(0).limited(by: limiter).subscribe(onError: { failure = $0 as? RateLimitReached })
        #expect(failure == RateLimitReached(name: "limiter", waiting: 5, retryAfter: .never))
        for call in calls { call.dispose() }
    }

    @Test(arguments: [(1, 10), (5, 0)]) func lateTimerFullQueueReportsRetryAfter(
        burst: Int, seconds: Int
    ) {
        let limiter = RateLimiter(1, per: .seconds(10), burst: burst, waiting: 1, scheduler: scheduler)
        let calls = (0...burst).map { _ in Observable<Int>.never().limited(by: limiter).subscribe() }
        scheduler.sleep(100)
        nonisolated(unsafe) var failure: RateLimitReached?
        _ = Observable.just(0).limited(by: limiter).subscribe(onError: { failure = $0 as? RateLimitReached })
        #expect(failure?.retryAfter == .seconds(seconds))
        for call in calls { call.dispose() }
    }

    @Test func callsAreLimitedAndNotElements() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        let source = scheduler.createColdObservable("123|", of: Int.self)
        scheduler.start { source.limited(by: limiter) }.expect("123|")
        let observer = scheduler.createObserver(Int.self)
        _ = source.limited(by: limiter).subscribe(observer)
        scheduler.start()
        #expect(observer.events.first?.time == 1_000)
    }

    @Test func pacedElementsKeepOrderAndEndIsLast() {
        let limiter = RateLimiter(1, per: .seconds(2), scheduler: scheduler)
        let source = scheduler.hot("-123-----4|")
        scheduler.start { source.asObservable().paced(by: limiter) }.expect("-1-2-3---4|")
        let other = scheduler.createHotObservable("123|", of: Int.self, from: 2_000)
        let observer = scheduler.createObserver(Int.self)
        _ = other.paced(by: limiter).subscribe(observer)
        scheduler.start()
        observer.expect("1-2-(3|)", from: 2_000)
    }

    @Test func pacedErrorIsSentAtOnce() {
        let limiter = RateLimiter(1, per: .seconds(2), scheduler: scheduler)
        let source = scheduler.hot("-123-#")
        scheduler.start { source.asObservable().paced(by: limiter) }.expect("-1-2-#", error: TestError.a)
    }

    @Test func pacedElementsAreFreedWithTheSubscription() {
        let (tracker, source) = (LifetimeTracker(), PublishSubject<LifetimeTracker.Tracked>())
        let limiter = RateLimiter(1, per: .seconds(2), scheduler: scheduler)
        let subscription = source.paced(by: limiter).subscribe()
        for _ in 0..<5 { source.onNext(tracker.make()) }
        #expect(tracker.live == 4)
        #expect(limiter.waiting == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
        #expect(limiter.waiting == 0)
        scheduler.start()
        #expect(scheduler.clock == 0)
    }

    @Test func traitsWaitForPermits() {
        let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
        let scheduler = scheduler
        let all = Observable.concat(
            Single.just(1).limited(by: limiter).asObservable(), Maybe.just(2).limited(by: limiter).asObservable(),
            Observable<Int>.empty().ignoreElements().asCompletable().limited(by: limiter).andThen(Observable.empty()))
        scheduler.start { all }.expect("1{9}2{9}|")
    }

    @Test func clockBeforeReferenceDateIsAccepted() {
        // Virtual time begins in 1970, before the reference date of `Date`.
        let limiter = RateLimiter(1, per: .never, burst: 2, scheduler: scheduler)
        for name in "ab" { call(String(name), at: 0, limiter) }
        let waiting = Observable.just(0).limited(by: limiter)
        scheduler.scheduleAt(1) { [log, scheduler] in
            let subscription = waiting.subscribe(onNext: { log($0) })
            scheduler.scheduleAt(5) { subscription.dispose() }
        }
        scheduler.start()
        #expect(log.text == "a@0 b@0")
    }

    @Test func workWaitsOnVirtualTime() async throws {
        let log = log
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let clock = TestClock(scheduler)
            let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
            for name in ["a", "b"] {
                Task(executorPreference: clock) {
                    try await limiter.run { log("\(name)@\(scheduler.clock)") }
                }
            }
            let cancelled = Task(executorPreference: clock) { try await limiter.run { log("never") } }
            scheduler.scheduleAt(5) { cancelled.cancel() }
            scheduler.scheduleAt(6) { log(limiter.waiting) }
            scheduler.start()
        }
        #expect(log.text == "a@1 1 b@11" || log.text == "a@0 1 b@10", "\(log.text)")
    }

    @Test func taskCancelledAfterAdmissionReturnsPermit() throws {
        let log = log
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let limiter = RateLimiter(1, per: .seconds(10), scheduler: scheduler)
            _ = Observable.just(0).limited(by: limiter).subscribe()
            let task = Task(executorPreference: TestClock(scheduler)) {
                do { try await limiter.run { log("work") } } catch { log(error is CancellationError) }
            }
            // The task is cancelled when it has been resumed but has not run yet.
            scheduler.scheduleAt(5) { scheduler.scheduleAt(10) { task.cancel() } }
            scheduler.scheduleAt(12) {
                _ = Observable.just(0).limited(by: limiter).subscribe(onNext: { _ in log(scheduler.clock) })
            }
            scheduler.start()
        }
        #expect(log.text == "true 12")
    }

    /// The task returns its permit at 200, when the bucket refills anyway. The bucket must not gain a second permit.
    @Test func permitReturnedLateIsNotReused() throws {
        let log = log
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let limiter = RateLimiter(1, per: .seconds(100), scheduler: scheduler)
            let tasks = HeldTasks()
            func call(_ name: String) {
                let calls = Observable.just(0).limited(by: limiter)
                _ = calls.subscribe(onNext: { _ in log("\(name)@\(scheduler.clock)") })
            }
            call("a")
            let task = Task(executorPreference: tasks) { try await limiter.run { log("work") } }
            tasks.run()
            scheduler.scheduleAt(150) { task.cancel() }
            scheduler.scheduleAt(200) {
                call("b")
                tasks.run()
                call("c")
            }
            scheduler.start()
        }
        #expect(log.text == "a@0 b@200 c@300", "\(log.text)")
    }

    @Test func callTakingReturnedPermitCancelsTimer() throws {
        let log = log
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let limiter = RateLimiter(1, per: .seconds(100), scheduler: scheduler)
            _ = Observable.just(0).limited(by: limiter).subscribe()
            let task = Task(executorPreference: TestClock(scheduler)) {
                do { try await limiter.run { log("work") } } catch { log(error is CancellationError) }
            }
            scheduler.scheduleAt(5) {
                _ = Observable.just(0).limited(by: limiter).subscribe(onNext: { _ in log(scheduler.clock < 110) })
                // The task has been resumed but has not run yet.
                scheduler.scheduleAt(100) { task.cancel() }
            }
            scheduler.start()
            log(scheduler.clock < 110)
        }
        #expect(log.text == "true true true")
    }

    @Test func workWaitsInRealTime() async throws {
        let limiter = RateLimiter(1, per: .milliseconds(20))
        let start = DispatchTime.now()
        for _ in 0..<3 { try await limiter.run {} }
        #expect(DispatchTime.now() >= start + .milliseconds(40))
    }

    @Test(arguments: [0, 5], [1, 2]) func callWithoutFuturePermitSetsNoTimer(time: Int, calls: Int) {
        let limiter = RateLimiter(calls, per: .never, burst: 1, waiting: 1, scheduler: scheduler)
        _ = Observable.just(0).limited(by: limiter).subscribe()
        scheduler.advanceTo(time)
        let waiting = Observable.just(0).limited(by: limiter).subscribe()
        scheduler.start()
        #expect(limiter.waiting == 1 && scheduler.clock == time)
        waiting.dispose()
    }
}
