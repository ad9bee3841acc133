import RxResilience
import TestSupport
import Testing

struct PermitRaceTests {
    private struct Ignored: Error {}

    private func churn(_ wrap: @escaping (Observable<Int>) -> Observable<Int>) throws {
        try runConcurrently(threads: 4) { thread in
            var random = Seeded(UInt64(thread))
            var calls: [any Disposable] = []
            for _ in 0..<1_000 {
                switch random.below(4) {
                case 0: calls.append(wrap(Observable.error(Ignored())).subscribe(onError: { _ in }))
                case 1...2: calls.append(wrap(Observable.never()).subscribe(onError: { _ in }))
                default: break
                }
                if calls.count > random.below(6) { calls.remove(at: random.below(calls.count)).dispose() }
            }
            for call in calls { call.dispose() }
        }
    }

    @Test(arguments: [0, 2, 100]) func allPermitsReturnToBulkhead(waiting: Int) throws {
        let bulkhead = Bulkhead(3, waiting: waiting)
        try churn { $0.admitted(by: bulkhead) }
        #expect(bulkhead.available == 3)
        #expect(bulkhead.waiting == 0)
    }

    @Test func allPermitsReturnToBulkheadWhoseLimitChanges() throws {
        let bulkhead = Bulkhead(3, waiting: 100)
        let turn = Guarded(0)
        try churn { source in
            let limit = turn.withLock { turn in
                turn += 1
                return turn % 4 + 1
            }
            try? bulkhead.setLimits(Bulkhead.Limits(running: limit, waiting: 100))
            return source.admitted(by: bulkhead)
        }
        try bulkhead.setLimits(Bulkhead.Limits(running: 5, waiting: 100))
        #expect(bulkhead.available == 5)
        #expect(bulkhead.waiting == 0)
    }

    @Test func allTrialsReturnToBreaker() throws {
        let breaker = CircuitBreaker(
            "race", window: .calls(1), openFor: .nanoseconds(0), trials: 3,
            judging: { $0 is Ignored ? .ignored : .failure })
        _ = Observable<Int>.error(TestError.a).guarded(by: breaker).subscribe(onError: { _ in })
        try churn { $0.guarded(by: breaker) }
        nonisolated(unsafe) var refused = 0
        let calls = (0..<8).map { _ in
            Observable<Int>.never().guarded(by: breaker).subscribe(onError: { _ in refused += 1 })
        }
        #expect(refused == 5)
        for call in calls { call.dispose() }
    }

    @Test func limiterAdmitsAllRemainingCallsDespiteDisposals() throws {
        let limiter = RateLimiter(1, per: .microseconds(5), burst: 2)
        let stayed = Guarded(0)
        try churn { $0.limited(by: limiter) }
        for _ in 0..<100 {
            _ = Observable<Int>.empty().limited(by: limiter).subscribe(onCompleted: { stayed.withLock { $0 += 1 } })
        }
        #expect(comesTrue { stayed.withLock { $0 } == 100 })
        #expect(limiter.waiting == 0)
    }

    @Test func flightsEndWithTheirLastCallers() throws {
        let flights = SingleFlight<Int, Int>()
        let underWay = Guarded(0)
        try churn { call in
            flights.value(for: 1) {
                call.do(
                    onSubscribe: { underWay.withLock { $0 += 1 } }, onDispose: { underWay.withLock { $0 -= 1 } }
                ).asSingle()
            }.asObservable()
        }
        #expect(underWay.withLock { $0 } == 0)
        #expect(flights.count == 0)
    }

    @Test func endedOrCancelledTasksReturnPermits() async throws {
        let bulkhead = Bulkhead(2, waiting: 1_000)
        let tasks = (0..<200).map { number in
            Task { try await bulkhead.run { if number % 3 == 0 { await Task.yield() } } }
        }
        for (number, task) in tasks.enumerated() where number % 2 == 0 { task.cancel() }
        for task in tasks { _ = await task.result }
        #expect(bulkhead.available == 2)
        #expect(bulkhead.waiting == 0)
    }
}
