import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

struct HealthTests {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let health: Health

    init() {
        health = Health(scheduler: scheduler)
    }

    private func probe() -> String {
        let report = health.report()
        return "\(report.isReady ? "ready" : "-") \(report.isLive ? "live" : "-") \(report.state)"
    }

    @Test func serviceIsReadyOnceItHasStarted() {
        #expect(!health.isStarted && !health.report().isStarted)
        #expect(probe() == "- live healthy")
        health.markStarted()
        #expect(health.isStarted && health.report().isStarted)
        #expect(probe() == "ready live healthy")
    }

    @Test func stoppedDrainIsNotReadyButLive() {
        let drain = Drain("service")
        health.add(drain)
        health.markStarted()
        #expect(probe() == "ready live healthy")
        let work = Observable<Int>.never().counted(by: drain, as: "charge").subscribe()
        drain.stop()
        #expect(probe() == "- live stopping")
        #expect(health.report().components.first?.finding.detail == "left: 1 of charge")
        work.dispose()
    }

    @Test func openBreakerIsDegradedAndReady() {
        let breaker = CircuitBreaker("payments", window: .calls(1), openFor: .seconds(10), scheduler: scheduler)
        health.add(breaker)
        health.markStarted()
        #expect(probe() == "ready live healthy")
        _ = Observable<Int>.error(TestError.a).guarded(by: breaker).subscribe(onError: { _ in })
        #expect(probe() == "ready live degraded")
        #expect(health.report().components.first?.finding.detail == "open")
        breaker.disable()
        #expect(probe() == "ready live healthy")
        breaker.forceOpen()
        #expect(probe() == "ready live degraded")
        breaker.reset()
        #expect(probe() == "ready live healthy")
    }

    @Test func fullIntakeIsOverloadedAfterItsSpanUntilItHasRoom() {
        let (intake, drain) = (Intake<Int>(atMost: 4, name: "orders"), Drain())
        let ends = (0..<4).map { _ in PublishSubject<Int>() }
        let work = intake.handling(until: drain) { ends[$0].asSingle() }.subscribe()
        health.add(intake, overloadedAfter: .seconds(10))
        health.markStarted()
        for element in 0..<4 { _ = intake.offer(element) }
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(9)
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(10)
        #expect(probe() == "- live overloaded")
        #expect(health.report().components.first?.finding.detail == "4 of 4, full for 10000 ms")
        // The intake now holds three elements; its limit is four. The overload ends only below three quarters of the
        // limit.
        ends[0].onError(TestError.a)
        #expect(probe() == "- live overloaded")
        ends[1].onError(TestError.a)
        #expect(probe() == "ready live healthy")
        work.dispose()
    }

    @Test func queueThatHasBeenEmptiedBetweenReportsIsNotOverloaded() {
        let bulkhead = Bulkhead(1, waiting: 1, name: "database")
        health.add(bulkhead, overloadedAfter: .seconds(10))
        health.markStarted()
        func call() -> any Disposable { Observable<Int>.never().admitted(by: bulkhead).subscribe() }
        let first = [call(), call()]
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(6)
        first[1].dispose()
        #expect(probe() == "ready live healthy")
        let second = call()
        scheduler.advanceTo(12)
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(22)
        #expect(probe() == "- live overloaded")
        first[0].dispose()
        second.dispose()
    }

    @Test func overloadMayLeaveTheServiceReady() {
        let bulkhead = Bulkhead(1, waiting: 1, name: "database")
        health.add(bulkhead, overloadedAfter: .seconds(0), readyWhenOverloaded: true)
        health.markStarted()
        let calls = (0..<2).map { _ in Observable<Int>.never().admitted(by: bulkhead).subscribe() }
        #expect(probe() == "ready live overloaded")
        for call in calls { call.dispose() }
    }

    @Test func bulkheadWithoutAQueueIsNeverOverloaded() {
        let bulkhead = Bulkhead(1, name: "database")
        health.add(bulkhead, overloadedAfter: .seconds(0))
        health.markStarted()
        let call = Observable<Int>.never().admitted(by: bulkhead).subscribe()
        #expect(probe() == "ready live healthy")
        call.dispose()
    }

    @Test func fullQueueOfARateLimiterIsOverloaded() {
        let limiter = RateLimiter(1, per: .seconds(1000), waiting: 1, name: "mail", scheduler: scheduler)
        health.add(limiter, overloadedAfter: .seconds(5))
        health.markStarted()
        let calls = (0..<2).map { _ in Observable<Int>.never().limited(by: limiter).subscribe() }
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(5)
        #expect(probe() == "- live overloaded")
        for call in calls { call.dispose() }
    }

    @Test func schedulerThatRunsNothingIsStuckAndRecovers() {
        let stuck = TestScheduler(initialClock: 0)
        health.add(stuck, as: "charging", stuckAfter: .seconds(30))
        health.markStarted()
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(30)
        #expect(probe() == "ready live healthy")
        scheduler.advanceTo(31)
        #expect(probe() == "- - stuck")
        #expect(health.report().components.first?.finding.detail == "has run nothing for 31000 ms")
        stuck.start()
        #expect(probe() == "ready live healthy")
        stuck.start()
    }

    @Test func idleSchedulerIsNotStuck() {
        let idle = TestScheduler(initialClock: 0)
        health.add(idle, as: "charging", stuckAfter: .seconds(30))
        for time in [100, 200, 300] {
            #expect(probe() == "- live healthy")
            idle.start()
            scheduler.advanceTo(time)
        }
    }

    @Test func checkOfTheProgramCounts() {
        let state = Guarded(Health.Finding(.healthy))
        health.add(check: "disk") { state.withLock { $0 } }
        health.markStarted()
        #expect(probe() == "ready live healthy")
        state.withLock { $0 = Health.Finding(.overloaded, "full") }
        #expect(probe() == "- live overloaded")
        state.withLock { $0 = Health.Finding(.stuck) }
        #expect(probe() == "- - stuck")
    }

    @Test func optionalCheckLeavesTheServiceReady() {
        health.add(check: "cache", isRequired: false) { Health.Finding(.overloaded) }
        health.markStarted()
        #expect(probe() == "ready live overloaded")
    }

    @Test func worstComponentIsTheStateOfTheService() {
        health.add(check: "a") { Health.Finding(.degraded) }
        health.add(check: "b") { Health.Finding(.stopping) }
        health.add(check: "c") { Health.Finding(.healthy) }
        health.markStarted()
        #expect(probe() == "- live stopping")
        #expect(health.report().components.map(\.name) == ["a", "b", "c"])
    }

    @Test func reportIsJSON() {
        health.add(CircuitBreaker("payments \"\\\n\u{1}é", scheduler: scheduler))
        health.add(check: "disk") { Health.Finding(.degraded, "90 %") }
        #expect(
            health.report().json
                == #"{"state":"degraded","started":false,"ready":false,"live":true,"components":["#
                + #"{"kind":"circuit breaker","name":"payments \"\\\n\u0001é","state":"healthy","detail":""},"#
                + #"{"kind":"check","name":"disk","state":"degraded","detail":"90 %"}]}"#)
        #expect(
            Health().report().json
                == #"{"state":"healthy","started":false,"ready":false,"live":true,"components":[]}"#)
    }

    @Test func checkMayAskForAReport() {
        let other = Health(scheduler: scheduler)
        health.add(check: "other") { [weak health] in
            health?.markStarted()
            return Health.Finding(other.report().state)
        }
        #expect(health.report().state == .healthy)
        #expect(health.isStarted)
    }

    @Test func fullBoundaryIsOverloaded() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (scheduler, source) = (TestScheduler(initialClock: 0), Observable<Int>.range(start: 0, count: 100))
            let health = Health(scheduler: TestScheduler(initialClock: 0))
            health.add(boundary: "observe(on:)", overloadedAfter: .seconds(0))
            health.markStarted()
            precondition(health.report().isReady)
            let subscription = source.observe(on: scheduler, buffering: .pausing(4)).subscribe()
            precondition(health.report().state == .overloaded, "\(Counters.snapshot().boundaries)")
            precondition(health.report().components[0].finding.detail.hasPrefix("4 of 4"))
            scheduler.start()
            precondition(health.report().isReady)
            subscription.dispose()
        }
    }

    @Test func boundariesWithHugeBoundsAreHealthy() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let health = Health(scheduler: TestScheduler(initialClock: 0))
            health.add(boundary: "observe(on:)", overloadedAfter: .seconds(0))
            let subscriptions = (0..<3).map { _ in
                source.observe(on: scheduler, buffering: .newest(.max / 2)).subscribe()
            }
            precondition(health.report().state == .healthy)
            for subscription in subscriptions { subscription.dispose() }
        }
    }
}
