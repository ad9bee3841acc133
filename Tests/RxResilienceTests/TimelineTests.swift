import RxResilience
import RxTest
import TestSupport
import Testing

@Suite struct TimelineTests {
    private let scheduler = TestScheduler.milliseconds()
    private let timeline: Timeline

    init() {
        timeline = Timeline(scheduler)
    }

    private func request(_ name: String, takes milliseconds: Int) -> Single<String> {
        Single.create { [scheduler, timeline] observer in
            timeline("\(name) is asked")
            let isAnswered = Guarded(false)
            nonisolated(unsafe) let answer = scheduler.scheduleRelative((), dueTime: .milliseconds(milliseconds)) {
                isAnswered.withLock { $0 = true }
                observer(.success(name))
                return Disposables.create()
            }
            return Disposables.create {
                answer.dispose()
                if !isAnswered.withLock({ $0 }) { timeline("\(name) is given up") }
            }
        }
    }

    @Test func retrying() throws {
        let budget = RetryBudget(ratio: 0.1, burst: 3)
        func charge(_ name: String) -> any Disposable {
            let attempt = Single<String>.deferred { [scheduler, timeline] in
                timeline("\(name) is tried")
                return .error(TestError.a).delaySubscription(.milliseconds(10), scheduler: scheduler)
            }
            return attempt.retry(
                .exponential(from: .milliseconds(50), limit: .milliseconds(200), jitter: .none, attempts: 4),
                budget: budget, scheduler: scheduler
            )
            .subscribe(onFailure: { [timeline] _ in timeline("\(name) has failed, \(budget.balance) tokens are left") })
        }
        scheduler.scheduleAt(25) { _ = charge("B") }
        scheduler.run { charge("A") }
        try timeline.expectShown(on: "Retrying")
    }

    @Test func timeouts() throws {
        let call = Single.deferred { [self] in
            let left = Deadline.current.map { $0.remaining.milliseconds } ?? 0
            return request("the service, with \(left) ms left,", takes: 1_000)
        }
        let result = call.timeout(total: .milliseconds(100), scheduler: scheduler)
            .retry(.every(.milliseconds(50), attempts: 9), scheduler: scheduler)
            .deadline(in: .milliseconds(350), scheduler: scheduler)
        scheduler.run { result.subscribe(onFailure: { [timeline] in timeline("\($0)") }) }
        try timeline.expectShown(on: "Timeouts")
    }

    @Test func hedging() throws {
        let replicas = Guarded([("the first replica", 180), ("the second replica", 20)])
        let read = Single<String>.deferred { [self] in
            let (name, span) = replicas.withLock { $0.removeFirst() }
            return request(name, takes: span)
        }
        let row = read.hedged(after: .milliseconds(50), scheduler: scheduler)
        scheduler.run { row.subscribe(onSuccess: { [timeline] in timeline("\($0) has answered") }) }
        try timeline.expectShown(on: "Hedging")
    }

    @Test func batching() throws {
        let rows = scheduler.createHotObservable(
            [(5, 3), (10, 4), (20, 5), (30, 12), (40, 2), (80, 1)].map { .next($0, $1) } + [.completed(85)])
        let batches = rows.do(onNext: { [timeline] in timeline("\($0) KiB come") })
            .batched(count: 100, weight: 10, within: .milliseconds(25), scheduler: scheduler) { $0 }
        scheduler.run {
            batches.subscribe(
                onNext: { [timeline] in timeline("a batch of \($0) is sent") },
                onCompleted: { [timeline] in timeline("completed") })
        }
        try timeline.expectShown(on: "Batching")
    }

    @Test func draining() throws {
        let drain = Drain()
        let orders = scheduler.createHotObservable([.next(10, ("A", 40)), .next(30, ("B", 200)), .next(60, ("C", 10))])
        let confirmed = orders.until(drain, as: "orders").flatMap { [scheduler, timeline] name, span in
            timeline("\(name) is begun")
            return Observable<Int>.timer(.milliseconds(span), scheduler: scheduler).map { _ in name }
                .counted(by: drain, as: "charge")
        }
        scheduler.scheduleAt(45) { [scheduler, timeline] in
            timeline("the drain is stopped: \(drain.running)")
            _ = drain.stop(within: .milliseconds(100), scheduler: scheduler)
                .subscribe(onSuccess: { timeline("left: \($0)") })
        }
        scheduler.run {
            confirmed.subscribe(
                onNext: { [timeline] in timeline("\($0) is confirmed") },
                onCompleted: { [timeline] in timeline("completed") })
        }
        try timeline.expectShown(on: "Draining")
    }
}

extension RxTimeInterval {
    fileprivate var milliseconds: Int {
        if case .nanoseconds(let count) = self { count / 1_000_000 } else { 0 }
    }
}
