import Dispatch
import Glibc
import RxResilience
import TestSupport
import Testing

@Suite struct RaceTests {
    private final class Calls: Sendable {
        private let counts = Guarded((made: 0, running: 0))

        var made: Int { counts.withLock { $0.made } }
        var running: Int { counts.withLock { $0.running } }

        func call(_ body: @escaping @Sendable (AnyObserver<Int>) -> Void) -> Observable<Int> {
            .create { [self] observer in
                counts.withLock {
                    $0.made += 1
                    $0.running += 1
                }
                body(observer)
                return Disposables.create { [self] in counts.withLock { $0.running -= 1 } }
            }
        }
    }

    @Test func disposedRetrySpendsNoTokenTwice() {
        for round in 0..<200 {
            let (pool, calls) = (PthreadPoolScheduler(maxThreads: 2), Calls())
            let budget = RetryBudget(ratio: 0, burst: 1_000)
            let subscription = calls.call { $0.onError(TestError.a) }
                .retry(.every(.nanoseconds(1), attempts: .max), budget: budget, scheduler: pool)
                .subscribe(onError: { _ in })
            while calls.made < round % 8 + 1 { sched_yield() }
            subscription.dispose()
            pool.shutdown(.drain)
            // If the disposal came during a pause, a token was spent without an attempt.
            let spent = 1_000 - Int(budget.balance)
            #expect((0...1).contains(spent - (calls.made - 1)))
            #expect(calls.running == 0)
        }
    }

    @Test func disposedHedgeSpendsNoTokenTwice() {
        for round in 0..<200 {
            let (pool, calls) = (PthreadPoolScheduler(maxThreads: 2), Calls())
            let budget = RetryBudget(ratio: 0, burst: 1_000)
            let subscription = calls.call { _ in }
                .hedged(after: .nanoseconds(1), most: 100, budget: budget, scheduler: pool)
                .subscribe(onError: { _ in })
            while calls.made < round % 8 + 1 { sched_yield() }
            subscription.dispose()
            pool.shutdown(.drain)
            #expect(1_000 - Int(budget.balance) == calls.made - 1)
            #expect(calls.running == 0)
        }
    }

    @Test func simultaneousCallersShareOneCall() throws {
        let (rounds, flights, joined) = (500, SingleFlight<Int, Int>(), CompositeDisposable())
        let (arrived, calls) = (Guarded(0), Guarded(Array(repeating: 0, count: rounds)))
        try runConcurrently(threads: 2) { _ in
            for round in 0..<rounds {
                arrived.withLock { $0 += 1 }
                while arrived.withLock({ $0 }) < 2 * (round + 1) { sched_yield() }
                let call = flights.value(for: round) {
                    calls.withLock { $0[round] += 1 }
                    return .never()
                }
                _ = joined.insert(call.subscribe())
            }
        }
        joined.dispose()
        #expect(calls.withLock { $0.filter { $0 != 1 }.count } == 0)
    }

    @Test func timeoutConcurrentWithEndEndsOnce() {
        for _ in 0..<200 {
            let (pool, calls, ends) = (PthreadPoolScheduler(maxThreads: 2), Calls(), Guarded(0))
            let observers = Guarded<[AnyObserver<Int>]>([])
            let subscription = calls.call { observer in observers.withLock { $0.append(observer) } }
                .timeout(first: .microseconds(50), total: .microseconds(60), scheduler: pool)
                .subscribe(onError: { _ in ends.withLock { $0 += 1 } }, onCompleted: { ends.withLock { $0 += 1 } })
            observers.withLock { $0 }[0].onCompleted()
            #expect(comesTrue { ends.withLock { $0 } == 1 })
            pool.shutdown(.drain)
            #expect(ends.withLock { $0 } == 1)
            #expect(calls.running == 0)
            subscription.dispose()
        }
    }

    @Test func eachElementIsInOneBatch() throws {
        let (pool, source) = (PthreadPoolScheduler(maxThreads: 2), PublishSubject<Int>())
        let batches = Guarded<[[Int]]>([])
        let subscription = source.batched(count: 7, weight: 20, within: .microseconds(100), scheduler: pool) { $0 % 5 }
            .subscribe(onNext: { batch in batches.withLock { $0.append(batch) } })
        try runConcurrently(threads: 4) { index in
            for number in 0..<5_000 { source.onNext(number * 4 + index) }
        }
        source.onCompleted()
        pool.shutdown(.drain)
        subscription.dispose()
        let got = batches.withLock { $0 }
        #expect(got.allSatisfy { !$0.isEmpty && $0.count <= 7 && $0.reduce(0) { $0 + $1 % 5 } <= 20 })
        for index in 0..<4 {
            #expect(got.joined().filter { $0 % 4 == index } == (0..<5_000).map { $0 * 4 + index })
        }
    }
}
