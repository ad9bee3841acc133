import Foundation
import Metrics
import MetricsTestKit
import RxObservability
import RxResilience
import RxTest
import Testing

// Uses separate processes, because the hooks and the list of limits are global.
struct ResilienceExportTests {
    @Test func callsBecomeCountersAndWaitsBecomeTimers() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.limits()
            let scheduler = exported.scheduler
            let bulkhead = Bulkhead(1, waiting: 1, name: "database", scheduler: scheduler)
            func call() -> any Disposable {
                Observable<Int>.never().admitted(by: bulkhead).subscribe(onError: { _ in })
            }
            let calls = [call(), call(), call()]
            scheduler.advanceTo(3)
            calls[0].dispose()
            expect(exported.counter("rx.bulkhead.calls", "database", ("rx.outcome", "admitted")), 2)
            expect(exported.counter("rx.bulkhead.calls", "database", ("rx.outcome", "rejected")), 1)
            expect(exported.seconds("rx.bulkhead.wait.duration", "database"), [0, 3])
            let timer = try? exported.metrics.expectTimer("rx.bulkhead.wait.duration", [("rx.name", "database")])
            expect(timer?.displayUnit, .seconds)
            expect(exported.gauge("rx.bulkhead.running", "database"), nil)
            scheduler.advanceTo(10)
            expect(exported.gauge("rx.bulkhead.running", "database"), 1)
            expect(exported.gauge("rx.bulkhead.waiting", "database"), 0)
            expect(exported.gauge("rx.bulkhead.running.limit", "database"), 1)
            expect(exported.gauge("rx.bulkhead.waiting.limit", "database"), 1)
            exported.export.dispose()
            _ = call()
            scheduler.advanceTo(100)
            expect(exported.counter("rx.bulkhead.calls", "database", ("rx.outcome", "admitted")), 2)
            expect(exported.gauge("rx.bulkhead.waiting", "database"), 0)
        }
    }

    @Test func breakerHasOneSeriesForEachState() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.limits()
            let breaker = CircuitBreaker("payments", window: .calls(1), scheduler: exported.scheduler)
            _ = Observable<Int>.empty().guarded(by: breaker).subscribe()
            exported.scheduler.advanceTo(10)
            func states() -> [Double?] {
                ["closed", "open", "half_open", "forced_open", "disabled"].map {
                    exported.gauge("rx.circuit_breaker.state", "payments", ("rx.state", $0))
                }
            }
            expect(states(), [1, 0, 0, 0, 0])
            for _ in 0..<2 {
                _ = Observable<Int>.error(Declined()).guarded(by: breaker).subscribe(onError: { _ in })
            }
            exported.scheduler.advanceTo(20)
            expect(states(), [0, 1, 0, 0, 0])
            for (outcome, count) in [("success", 1), ("failure", 1), ("rejected", 1)] as [(String, Int64)] {
                expect(exported.counter("rx.circuit_breaker.calls", "payments", ("rx.outcome", outcome)), count)
            }
            expect(exported.counter("rx.circuit_breaker.transitions", "payments", ("rx.state", "open")), 1)
            expect(exported.seconds("rx.circuit_breaker.call.duration", "payments"), [0, 0])
        }
    }

    @Test func gaugesOfReleasedLimitAreRecordedAsZeroOnce() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.limits()
            var breaker: CircuitBreaker? = CircuitBreaker("payments", scheduler: exported.scheduler)
            breaker?.forceOpen()
            exported.scheduler.advanceTo(10)
            breaker = nil
            exported.scheduler.advanceTo(30)
            let labels = [("rx.name", "payments"), ("rx.state", "forced_open")]
            expect(try exported.metrics.expectGauge("rx.circuit_breaker.state", labels).values, [1, 0])
        }
    }

    @Test func limitsOfOneNameShareASeriesAndTheWorstBreakerCounts() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.limits()
            let bulkheads = [Bulkhead(2, name: "database"), Bulkhead(3, name: "database")]
            let breakers = [CircuitBreaker("payments"), CircuitBreaker("payments"), CircuitBreaker("payments")]
            breakers[1].forceOpen()
            exported.scheduler.advanceTo(10)
            expect(exported.gauge("rx.bulkhead.running.limit", "database"), 5)
            expect(exported.gauge("rx.circuit_breaker.state", "payments", ("rx.state", "forced_open")), 1)
            expect(exported.gauge("rx.circuit_breaker.state", "payments", ("rx.state", "closed")), 0)
            withExtendedLifetime((bulkheads, breakers)) {}
        }
    }

    @Test func numberOfNamesIsBoundedForEachKind() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.limits(names: 2)
            for index in 0..<50 {
                let bulkhead = Bulkhead(1, name: "user \(index)")
                _ = Observable.just(1).admitted(by: bulkhead).subscribe()
            }
            let admitted = ("rx.outcome", "admitted")
            expect(exported.counter("rx.bulkhead.calls", "user 0", admitted), 1)
            expect(exported.counter("rx.bulkhead.calls", "user 1", admitted), 1)
            expect(exported.counter("rx.bulkhead.calls", "other", admitted), 48)
            expect(exported.metrics.counters.count, 3)
            let breaker = CircuitBreaker("payments")
            _ = Observable.just(1).guarded(by: breaker).subscribe()
            expect(exported.counter("rx.circuit_breaker.calls", "payments", ("rx.outcome", "success")), 1)
        }
    }

    @Test func pageListsEveryMetricLabelAndValue() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let exported = Exported.limits()
            let scheduler = exported.scheduler
            let (failing, never) = (Observable<Int>.error(Declined()), Observable<Int>.never())
            func run(_ sequence: Observable<Int>) -> any Disposable { sequence.subscribe(onError: { _ in }) }
            var held: [any Disposable] = []
            let bulkhead = Bulkhead(1, waiting: 1, name: "a", scheduler: scheduler)
            let limiter = RateLimiter(1, per: .seconds(1), waiting: 1, name: "a", scheduler: scheduler)
            for _ in 0..<3 { held.append(run(never.admitted(by: bulkhead))) }
            held[1].dispose()
            for _ in 0..<3 { held.append(run(never.limited(by: limiter))) }
            held[4].dispose()

            let breaker = CircuitBreaker(
                "a", window: .calls(100), slowAfter: .seconds(0), scheduler: scheduler,
                judging: { $0 is Declined ? .ignored : .failure })
            held.append(run(Observable<Int>.timer(.seconds(1), scheduler: scheduler).guarded(by: breaker)))
            _ = run(Observable.empty().guarded(by: breaker))
            _ = run(failing.guarded(by: breaker))
            _ = run(Observable.error(TimeoutError(exceeded: .total, limit: .seconds(1))).guarded(by: breaker))
            run(never.guarded(by: breaker)).dispose()
            let flapping = CircuitBreaker("a", window: .calls(1), openFor: .seconds(1), scheduler: scheduler)
            _ = run(failing.guarded(by: flapping))
            scheduler.advanceTo(2)
            _ = run(Observable.empty().guarded(by: flapping))
            breaker.disable()
            breaker.reset()
            breaker.forceOpen()
            _ = run(Observable.empty().guarded(by: breaker))

            let budget = RetryBudget("a", ratio: 0, burst: 1)
            let policy = RetryPolicy.every(.seconds(2), attempts: 2)
            for _ in 0..<2 { _ = run(failing.retry(policy, budget: budget, scheduler: scheduler)) }
            _ = run(failing.retry(policy, if: { _ in false }, scheduler: scheduler))
            _ = run(failing.retry(policy, scheduler: scheduler).deadline(in: .seconds(1), scheduler: scheduler))

            let flights = SingleFlight<Int, Int>("a", ttl: .seconds(100), scheduler: scheduler)
            let call = PublishSubject<Int>()
            for _ in 0..<2 { held.append(run(flights.value(for: 1) { call.asSingle() }.asObservable())) }
            call.onNext(1)
            call.onCompleted()
            _ = run(flights.value(for: 1) { .never() }.asObservable())

            nonisolated(unsafe) var attempts = 0
            let slow = Observable<Int>.deferred {
                attempts += 1
                return attempts == 2 ? .just(1) : .never()
            }
            for source in [slow, .just(1)] {
                held.append(run(source.hedged(as: "a", after: .seconds(1), scheduler: scheduler)))
            }

            held += [
                run(never.timeout(first: .seconds(1), scheduler: scheduler)),
                run(never.startWith(1).timeout(between: .seconds(1), scheduler: scheduler)),
                run(never.timeout(within: TimeLimit(.seconds(1), name: "a"), scheduler: scheduler)),
                run(never.deadline(in: .seconds(1), scheduler: scheduler)),
            ]
            _ = Observable.just(1).batched(as: "a", scheduler: scheduler).subscribe()

            let (intake, drain) = (Intake<Int>(atMost: 1, name: "a"), Drain("a"))
            let ends = (0..<2).map { _ in PublishSubject<Int>() }
            _ = intake.offer(0)
            held.append(intake.handling(until: drain) { ends[$0].asSingle() }.subscribe())
            for _ in 0..<2 { _ = intake.offer(0) }
            ends[0].onNext(1)
            ends[0].onCompleted()
            _ = intake.offer(1)
            ends[1].onError(Declined())
            _ = drain.stop(within: .seconds(0), scheduler: scheduler).subscribe()
            _ = intake.offer(0)
            let other = Intake<Int>(atMost: 1, name: "a")
            let work = other.handling(until: Drain()) { _ in Single<Int>.never() }.subscribe()
            let caller = Task { try await other.handled(1) }
            while other.unhandled == 0 { await Task.yield() }
            work.dispose()
            _ = try? await caller.value

            scheduler.advanceTo(20)
            for line in exported.metrics.lines { print("line \(line)") }
            for metric in exported.metrics.counters { print("value \(metric.label) \(metric.dimensions.last!.1)") }
            for metric in exported.metrics.recorders where metric.dimensions.count > 1 {
                print("value \(metric.label) \(metric.dimensions.last!.1)")
            }
            withExtendedLifetime((held, bulkhead, limiter, breaker, flapping, budget, flights, intake, drain)) {}
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        func printed(_ kind: String) -> Set<String> {
            Set(output.filter { $0.hasPrefix("\(kind) ") }.map { String($0.dropFirst(kind.count + 1)) })
        }
        let rows = try MetricsRow.page().limits
        #expect(printed("line").sorted() == rows.map { $0.line(["rx.name"] + $0.labels) }.sorted())
        let labelled = rows.filter { !$0.labels.isEmpty }
        let values = printed("value").filter { value in
            labelled.contains { value.hasPrefix("\($0.metric) ") }
        }
        #expect(values.sorted() == labelled.flatMap { row in row.values.map { "\(row.metric) \($0)" } }.sorted())
    }
}
