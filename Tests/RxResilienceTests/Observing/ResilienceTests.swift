import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

private final class Events: Sendable {
    private let all = Guarded<[(Resilience.Source, Resilience.Event)]>([])
    private let observation = SingleAssignmentDisposable()

    init() {
        observation.setDisposable(
            Resilience.observe { [all] source, event in all.withLock { $0.append((source, event)) } })
    }

    func take(_ kind: Resilience.Kind, _ name: String) -> [Resilience.Event] {
        all.withLock { all in
            let events = all.filter { $0.0 == Resilience.Source(kind: kind, name: name) }.map(\.1)
            all.removeAll { $0.0 == Resilience.Source(kind: kind, name: name) }
            return events
        }
    }

    var isEmpty: Bool { all.withLock { $0.isEmpty } }

    func end() { observation.dispose() }
}

private func seconds(_ count: Int) -> RxTimeInterval { .nanoseconds(count * 1_000_000_000) }

private func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) {
    precondition(value == expected, "line \(line): \(value) is not \(expected)")
}

struct ResilienceTests {
    @Test func bulkheadReportsWaitingTimesRejectionsAndWithdrawals() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let bulkhead = Bulkhead(1, waiting: 2, name: "database", scheduler: scheduler)
            func call() -> any Disposable {
                Observable<Int>.never().admitted(by: bulkhead).subscribe(onError: { _ in })
            }
            let calls = [call(), call(), call(), call()]
            expect(events.take(.bulkhead, "database"), [.admitted(waited: seconds(0)), .rejected])
            scheduler.advanceTo(3)
            calls[2].dispose()
            expect(events.take(.bulkhead, "database"), [.withdrawn(waited: seconds(3))])
            scheduler.advanceTo(5)
            calls[0].dispose()
            expect(events.take(.bulkhead, "database"), [.admitted(waited: seconds(5))])
            let row = Resilience.snapshot().bulkheads.first
            expect(row?.limits, Bulkhead.Limits(running: 1, waiting: 2))
            expect([row?.running, row?.waiting], [1, 0])
            events.end()
            calls[1].dispose()
            call().dispose()
            precondition(events.isEmpty)
        }
    }

    @Test func waitingCallsDisposedOfTogetherAreWithdrawn() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let bulkhead = Bulkhead(1, waiting: 2, name: "database", scheduler: scheduler)
            let calls = Observable.from([1, 2, 3])
                .flatMap { _ in Observable<Int>.never().admitted(by: bulkhead) }
                .subscribe()
            expect(events.take(.bulkhead, "database"), [.admitted(waited: seconds(0))])
            scheduler.advanceTo(3)
            calls.dispose()
            expect(
                events.take(.bulkhead, "database"), [.withdrawn(waited: seconds(3)), .withdrawn(waited: seconds(3))])
            events.end()
        }
    }

    /// The Swift runtime holds the task's lock during the cancellation, so no hook may be called then.
    @Test func cancelledTaskReportsItsWithdrawalAfterTheCancellation() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, held) = (TestScheduler(initialClock: 0), HeldTasks())
            let bulkhead = Bulkhead(1, waiting: 1, name: "database", scheduler: scheduler)
            let running = Observable<Int>.never().admitted(by: bulkhead).subscribe()
            let events = Events()
            let task = Task(executorPreference: held) { try await bulkhead.run {} }
            held.run()
            expect(bulkhead.waiting, 1)
            task.cancel()
            expect(bulkhead.waiting, 0)
            expect(events.take(.bulkhead, "database"), [])
            held.run()
            expect(events.take(.bulkhead, "database"), [.withdrawn(waited: seconds(0))])
            events.end()
            running.dispose()
        }
    }

    @Test func rateLimiterReportsWaitingTimesAndPermits() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let limiter = RateLimiter(1, per: .seconds(10), burst: 2, waiting: 1, name: "mail", scheduler: scheduler)
            func call() { _ = Observable.just(1).limited(by: limiter).subscribe(onError: { _ in }) }
            expect(Resilience.snapshot().rateLimiters.first?.permits, 2)
            for _ in 0..<4 { call() }
            expect(
                events.take(.rateLimiter, "mail"),
                [.admitted(waited: seconds(0)), .admitted(waited: seconds(0)), .rejected])
            expect(Resilience.snapshot().rateLimiters.first?.waiting, 1)
            scheduler.start()
            expect(events.take(.rateLimiter, "mail"), [.admitted(waited: seconds(10))])
            scheduler.advanceTo(25)
            expect(Resilience.snapshot().rateLimiters.first?.permits, 1)
        }
    }

    @Test func breakerReportsCallsAndStates() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let breaker = CircuitBreaker(
                "payments", window: .calls(4), minimumCalls: 2, slowAfter: .seconds(3), openFor: .seconds(10),
                scheduler: scheduler, judging: { $0 as? TestError == .b ? .ignored : .failure })
            func call(_ source: Observable<Int>) -> any Disposable {
                source.guarded(by: breaker).subscribe(onError: { _ in })
            }
            let (slow, dropped) = (PublishSubject<Int>(), call(.never()))
            _ = call(slow)
            scheduler.advanceTo(4)
            slow.onCompleted()
            dropped.dispose()
            _ = call(.error(TestError.b))
            expect(
                events.take(.circuitBreaker, "payments"),
                [
                    .called(.success, isSlow: true, took: seconds(4)),
                    .called(.cancelled, isSlow: true, took: seconds(4)),
                    .called(.ignored, isSlow: false, took: seconds(0)),
                ])
            let row = Resilience.snapshot().circuitBreakers.first
            expect([row?.calls, row?.failed, row?.slow], [1, 0, 1])
            _ = call(.error(TestError.a))
            _ = call(.empty())
            expect(
                events.take(.circuitBreaker, "payments"),
                [.changed(.open), .called(.failure, isSlow: false, took: seconds(0)), .rejected])
            expect(Resilience.snapshot().circuitBreakers.first?.state, .open)
        }
    }

    @Test func callsLeaveTheWindowOfASnapshotWithTime() async {
        await #expect(processExitsWith: .success) {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
            let breaker = CircuitBreaker("payments", window: .span(.seconds(10)), scheduler: scheduler)
            _ = Observable<Int>.error(TestError.a).guarded(by: breaker).subscribe(onError: { _ in })
            expect(Resilience.snapshot().circuitBreakers.first?.failed, 1)
            scheduler.advanceTo(20)
            expect(Resilience.snapshot().circuitBreakers.first?.failed, 0)
        }
    }

    @Test func retriesReportPausesAndTheReasonForGivingUp() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let failing = Observable<Int>.error(TestError.a)
            func run(_ sequence: Observable<Int>) {
                _ = sequence.subscribe(onError: { _ in })
                scheduler.start()
            }
            let policy = RetryPolicy.every(.seconds(2), attempts: 2)
            run(failing.retry(policy, scheduler: scheduler))
            expect(events.take(.retry, "retry"), [.retried(pause: seconds(2)), .gaveUp(.attempts)])
            run(failing.retry(policy, if: { _ in false }, scheduler: scheduler))
            expect(events.take(.retry, "retry"), [.gaveUp(.error)])
            run(failing.retry(policy, scheduler: scheduler).deadline(in: .seconds(1), scheduler: scheduler))
            expect(events.take(.retry, "retry"), [.gaveUp(.deadline)])
            let budget = RetryBudget("payments", ratio: 0, burst: 1)
            run(failing.retry(policy, budget: budget, scheduler: scheduler))
            run(failing.retry(policy, budget: budget, scheduler: scheduler))
            expect(
                events.take(.retry, "payments"), [.retried(pause: seconds(2)), .gaveUp(.attempts), .gaveUp(.budget)])
            expect(events.take(.retryBudget, "payments"), [.tokenTaken, .tokenDenied])
            let row = Resilience.snapshot().retryBudgets.first
            expect(row?.name, "payments")
            expect(row?.tokens, 0)
        }
    }

    @Test func singleFlightReportsHowCallersWereServed() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let flights = SingleFlight<Int, Int>("users", ttl: .seconds(10), scheduler: scheduler)
            let call = PublishSubject<Int>()
            for _ in 0..<2 { _ = flights.value(for: 1) { call.asSingle() }.subscribe() }
            call.onNext(1)
            call.onCompleted()
            _ = flights.value(for: 1) { .never() }.subscribe()
            expect(events.take(.singleFlight, "users"), [.shared(.called), .shared(.joined), .shared(.kept)])
            expect(Resilience.snapshot().singleFlights.first?.keys, 1)
            scheduler.start()
            expect(Resilience.snapshot().singleFlights.first?.keys, 0)
        }
    }

    @Test func hedgesReportWhoAnswered() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            nonisolated(unsafe) var count = 0
            let source = Single<Int>.deferred {
                count += 1
                return count == 2 ? .just(1) : .never()
            }
            _ = source.hedged(as: "replica", after: .seconds(3), scheduler: scheduler).subscribe()
            scheduler.start()
            _ = Observable.just(1).hedged(after: .seconds(3), scheduler: scheduler).subscribe()
            scheduler.start()
            expect(events.take(.hedge, "replica"), [.hedged, .answered(byHedge: true)])
            _ = try? onVirtualTime(TestScheduler(initialClock: 0)) {
                try await hedging(as: "row", after: .seconds(3), scheduler: TestScheduler(initialClock: 0)) { 1 }
            }
            expect(events.take(.hedge, "row"), [.answered(byHedge: false)])
            expect(events.take(.hedge, "hedged"), [.answered(byHedge: false)])
        }
    }

    @Test func exceededSpansAreReportedWithTheNameOfTheLimit() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler.milliseconds(), Events())
            func run(_ sequence: Observable<Int>) {
                _ = sequence.subscribe(onError: { _ in })
                scheduler.start()
            }
            let never = Observable<Int>.never()
            run(never.timeout(first: .milliseconds(2), scheduler: scheduler))
            run(never.timeout(within: TimeLimit(.milliseconds(2), name: "charge"), scheduler: scheduler))
            run(never.deadline(in: .milliseconds(2), scheduler: scheduler))
            run(never.deadline(in: .milliseconds(0), scheduler: scheduler))
            run(Observable.just(1).timeout(total: .milliseconds(2), scheduler: scheduler))
            _ = try? onVirtualTime(scheduler) {
                try await withDeadline(within: TimeLimit(.milliseconds(2), name: "page"), scheduler: scheduler) {
                    try await Single<Int>.never().value
                }
            }
            expect(events.take(.timeout, "timeout"), [.timedOut(.first)])
            expect(events.take(.timeout, "charge"), [.timedOut(.total)])
            expect(events.take(.timeout, "deadline"), [.timedOut(.deadline), .timedOut(.deadline)])
            expect(events.take(.timeout, "page"), [.timedOut(.deadline)])
            precondition(events.isEmpty)
        }
    }

    @Test func cancelledWorkReportsThatItExceededItsDeadline() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            _ = try? onVirtualTime(scheduler) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await withDeadline(in: .seconds(2), scheduler: scheduler) {
                            _ = try? await Single<Int>.never().value
                            scheduler.sleep(3)
                        }
                    }
                    _ = try await Single<Int>.timer(.seconds(1), scheduler: scheduler).value
                    group.cancelAll()
                    try await group.next()
                }
            }
            expect(events.take(.timeout, "deadline"), [.timedOut(.deadline)])
            events.end()
        }
    }

    @Test func batchesReportSizeAndTheWaitOfTheFirstElement() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let source = PublishSubject<Int>()
            let subscription = source.batched(as: "rows", count: 3, within: .seconds(6), scheduler: scheduler)
                .subscribe()
            source.onNext(1)
            scheduler.advanceTo(2)
            source.onNext(2)
            source.onNext(3)
            source.onNext(4)
            scheduler.advanceTo(20)
            source.onNext(5)
            source.onCompleted()
            expect(
                events.take(.batch, "rows"),
                [
                    .batched(count: 3, waited: seconds(2)), .batched(count: 1, waited: seconds(6)),
                    .batched(count: 1, waited: seconds(0)),
                ])
            subscription.dispose()
        }
    }

    @Test func intakeAndDrainReportElements() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, events) = (TestScheduler(initialClock: 0, simulateProcessingDelay: false), Events())
            let intake = Intake<Int>(atMost: 2, name: "orders", scheduler: scheduler)
            let drain = Drain("service")
            _ = intake.offer(0)
            let ends = (0..<2).map { _ in PublishSubject<Int>() }
            let work = intake.handling(until: drain) { ends[$0].asSingle() }.subscribe()
            for element in 0..<3 { _ = intake.offer(element) }
            expect(
                events.take(.intake, "orders"), [.refused(.notRunning), .accepted, .accepted, .refused(.full)])
            expect(Resilience.snapshot().intakes.first?.unhandled, 2)
            scheduler.advanceTo(4)
            ends[0].onNext(1)
            ends[0].onCompleted()
            ends[1].onError(TestError.a)
            expect(
                events.take(.intake, "orders"),
                [.handled(isSuccess: true, took: seconds(4)), .handled(isSuccess: false, took: seconds(4))])
            let other = Observable<Int>.never().counted(by: drain).subscribe()
            let row = Resilience.snapshot().drains.first
            expect(row?.running.total, 2)
            expect(row?.isStopped, false)
            _ = drain.stop(within: .seconds(10), scheduler: scheduler).subscribe()
            _ = intake.offer(1)
            scheduler.advanceTo(20)
            expect(events.take(.intake, "orders"), [.refused(.stopping)])
            expect(events.take(.drain, "service"), [.drained(left: 1, took: seconds(10))])
            other.dispose()
            work.dispose()
        }
    }

    @Test func waitingCallerOfAnEndedPipelineIsReportedAsDropped() async {
        await #expect(processExitsWith: .success) {
            let events = Events()
            let (intake, drain) = (Intake<Int>(atMost: 2, name: "orders"), Drain())
            let work = intake.handling(until: drain) { _ in Single<Int>.never() }.subscribe()
            let caller = Task { try await intake.handled(1) }
            while intake.unhandled == 0 { await Task.yield() }
            work.dispose()
            _ = try? await caller.value
            expect(events.take(.intake, "orders"), [.accepted, .dropped])
        }
    }

    @Test func releasedLimitsLeaveTheSnapshot() async {
        await #expect(processExitsWith: .success) {
            func names() -> [String] {
                let all = Resilience.snapshot()
                return all.bulkheads.map(\.name) + all.rateLimiters.map(\.name) + all.circuitBreakers.map(\.name)
                    + all.retryBudgets.map(\.name) + all.singleFlights.map(\.name) + all.intakes.map(\.name)
                    + all.drains.map(\.name)
            }
            do {
                let limits: [AnyObject] = [
                    Bulkhead(1, name: "z"), Bulkhead(1, name: "a"), RateLimiter(1, per: .seconds(1), name: "b"),
                    CircuitBreaker("c"), RetryBudget("d", ratio: 0), SingleFlight<Int, Int>("e"),
                    Intake<Int>(atMost: 1, name: "f"), Drain("g"),
                ]
                expect(names(), ["a", "z", "b", "c", "d", "e", "f", "g"])
                withExtendedLifetime(limits) {}
            }
            expect(names(), [])
        }
    }

    @Test func everyHookIsCalledAndOneCanEndAlone() async {
        await #expect(processExitsWith: .success) {
            let (first, second) = (Events(), Events())
            let bulkhead = Bulkhead(1, name: "database")
            func call() { _ = Observable.just(1).admitted(by: bulkhead).subscribe() }
            call()
            expect(first.take(.bulkhead, "database").count, 1)
            expect(second.take(.bulkhead, "database").count, 1)
            first.end()
            first.end()
            call()
            precondition(first.isEmpty)
            expect(second.take(.bulkhead, "database").count, 1)
        }
    }

    @Test func hookMayUseTheLimitThatCallsIt() async {
        await #expect(processExitsWith: .success) {
            let bulkhead = Bulkhead(1, waiting: 1, name: "database")
            let breaker = CircuitBreaker("payments", window: .calls(1))
            let seen = Guarded(0)
            let observation = Resilience.observe { _, _ in
                let state = Resilience.snapshot()
                seen.withLock { $0 += state.bulkheads.count + bulkhead.waiting + (breaker.state == .open ? 1 : 0) }
            }
            _ = Observable<Int>.error(TestError.a).guarded(by: breaker).admitted(by: bulkhead)
                .subscribe(onError: { _ in })
            precondition(seen.withLock { $0 } >= 3, "\(seen.withLock { $0 })")
            observation.dispose()
        }
    }
}
