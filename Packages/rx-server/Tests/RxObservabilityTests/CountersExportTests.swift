import Foundation
import Metrics
import MetricsTestKit
import RxObservability
import RxTest
import Testing

// Runs in separate processes, because the counters are global.
struct CountersExportTests {
    @Test func countersBecomeGauges() async {
        await #expect(processExitsWith: .success) {
            let (metrics, source) = (TestMetrics(), PublishSubject<Int>())
            func gauge(_ name: String, _ dimensions: [(String, String)] = []) -> Double? {
                try? metrics.expectGauge(name, dimensions).lastValue
            }
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let bounded = source.observe(on: scheduler, buffering: .newest(37)).subscribe()
            let failed = Observable<Int>.error(Declined()).subscribe(onError: { _ in })
            for element in 0..<40 { source.onNext(element) }
            Counters.export(factory: metrics)
            precondition(gauge("rx.subscriptions") == 2, "\(String(describing: gauge("rx.subscriptions")))")
            precondition(gauge("rx.errors") == 1)
            precondition(gauge("rx.timers.pending") == 0)
            let boundary = [("boundary", "observe(on:)"), ("bound", "37")]
            let all = metrics.recorders.map { ($0.label, $0.dimensions) }
            precondition(gauge("rx.boundary.live", boundary) == 1, "\(all)")
            precondition(gauge("rx.boundary.depth", boundary) == 37)
            precondition(gauge("rx.boundary.drops", boundary) == 3)
            precondition(gauge("rx.boundary.pauses", boundary) == 0)
            let place = [("scheduler", "TestScheduler")]
            precondition(gauge("rx.scheduler.hops", place) == 1)
            precondition(gauge("rx.scheduler.depth", place) != nil)
            precondition(gauge("rx.scheduler.latency.max", place) != nil)
            scheduler.start()
            Counters.export(prefix: "shop", factory: metrics)
            precondition(gauge("shop.boundary.depth", boundary) == 0)
            precondition(gauge("shop.events") == 37)
            bounded.dispose()
            failed.dispose()
        }
    }

    @Test func unboundedBoundaryHasNoBoundGauge() async {
        await #expect(processExitsWith: .success) {
            let (metrics, source) = (TestMetrics(), PublishSubject<Int>())
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler).observe(on: scheduler, buffering: .pausing(4)).subscribe()
            for element in 0..<7 { source.onNext(element) }
            Counters.export(factory: metrics)
            let boundary = [("boundary", "observe(on:)"), ("bound", "none")]
            let depth = try? metrics.expectGauge("rx.boundary.depth", boundary).lastValue
            precondition(depth == 7, "\(String(describing: depth))")
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func highestQueueLengthIsGauge() async {
        await #expect(processExitsWith: .success) {
            let (metrics, source) = (TestMetrics(), PublishSubject<Int>())
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler, buffering: .pausing(64)).subscribe()
            for element in 0..<7 { source.onNext(element) }
            scheduler.start()
            Counters.export(factory: metrics)
            let boundary = [("boundary", "observe(on:)"), ("bound", "64")]
            let depth = try? metrics.expectGauge("rx.boundary.depth", boundary).lastValue
            let most = try? metrics.expectGauge("rx.boundary.highWater", boundary).lastValue
            precondition(depth == 0 && most == 7, "\(String(describing: (depth, most)))")
            subscription.dispose()
        }
    }

    @Test func schedulerCountersAreExported() async {
        await #expect(processExitsWith: .success) {
            let (metrics, source) = (TestMetrics(), PublishSubject<Int>())
            func gauge(_ name: String) -> Double? {
                try? metrics.expectGauge("rx.scheduler.\(name)", [("scheduler", "TestScheduler")]).lastValue
            }
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler).subscribe()
            for element in 0..<3 { source.onNext(element) }
            Counters.export(factory: metrics)
            precondition(gauge("hops") == 1 && gauge("depth") == 3 && gauge("highWater") == 3)
            // The first element waits during this time, and so longer than a later element.
            usleep(200_000)
            scheduler.start()
            Counters.export(factory: metrics)
            precondition(gauge("depth") == 0 && gauge("highWater") == 3)
            var (last, longest) = (gauge("latency") ?? 0, gauge("latency.max") ?? 0)
            precondition(longest >= 0.2, "\(longest)")
            for element in 3..<100 where last >= longest {
                source.onNext(element)
                scheduler.start()
                Counters.export(factory: metrics)
                (last, longest) = (gauge("latency") ?? 0, gauge("latency.max") ?? 0)
            }
            precondition(last > 0 && last < longest, "\((last, longest))")
            subscription.dispose()
        }
    }

    @Test func pageListsEveryMetricAndItsLabels() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Counters.isCounting = true
            let (metrics, scheduler) = (TestMetrics(), TestScheduler(initialClock: 0))
            let subscription = Observable.just(1).observe(on: scheduler, buffering: .pausing(64)).subscribe()
            Counters.export(factory: metrics)
            for line in metrics.lines { print(line) }
            subscription.dispose()
        }
        let exported = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            .split(separator: "\n").filter { $0.hasPrefix("rx.") }.map(String.init)
        #expect(exported.sorted() == (try MetricsRow.page().counters.map { $0.line($0.labels) }.sorted()))
    }

    @Test func waitingTimersAreExported() async {
        await #expect(processExitsWith: .success) {
            let metrics = TestMetrics()
            let timer = Observable<Int>.timer(
                .seconds(3_600), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
            )
            .subscribe()
            Counters.export(factory: metrics)
            let pending = try? metrics.expectGauge("rx.timers.pending").lastValue
            precondition(pending == 1, "\(String(describing: pending))")
            timer.dispose()
        }
    }

    @Test func pausedSourceIsNotCountedAsDrop() async {
        await #expect(processExitsWith: .success) {
            let metrics = TestMetrics()
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = Observable.range(start: 0, count: 10)
                .observe(on: scheduler, buffering: .pausing(4)).subscribe()
            scheduler.start()
            Counters.export(factory: metrics)
            let boundary = [("boundary", "observe(on:)"), ("bound", "4")]
            let pauses = try? metrics.expectGauge("rx.boundary.pauses", boundary).lastValue
            let drops = try? metrics.expectGauge("rx.boundary.drops", boundary).lastValue
            precondition((pauses ?? 0) > 0 && drops == 0, "\(String(describing: (pauses, drops)))")
            subscription.dispose()
        }
    }

    @Test func periodicExportRunsUntilDisposed() async {
        await #expect(processExitsWith: .success) {
            let (metrics, scheduler) = (TestMetrics(), TestScheduler(initialClock: 0))
            let export = Counters.export(every: .seconds(10), on: scheduler, factory: metrics)
            precondition(Counters.isCounting)
            scheduler.advanceTo(9)
            precondition(metrics.recorders.isEmpty)
            scheduler.advanceTo(25)
            let subscriptions = try? metrics.expectGauge("rx.subscriptions")
            precondition(subscriptions?.values.count == 2)
            export.dispose()
            scheduler.advanceTo(60)
            precondition(subscriptions?.values.count == 2)
        }
    }

    @Test func periodicExportUsesPrefix() async {
        await #expect(processExitsWith: .success) {
            let (metrics, scheduler) = (TestMetrics(), TestScheduler(initialClock: 0))
            let export = Counters.export(every: .seconds(10), on: scheduler, prefix: "shop", factory: metrics)
            scheduler.advanceTo(15)
            let all = metrics.recorders.map(\.label)
            precondition(!all.isEmpty && all.allSatisfy { $0.hasPrefix("shop.") }, "\(all)")
            export.dispose()
        }
    }
}
