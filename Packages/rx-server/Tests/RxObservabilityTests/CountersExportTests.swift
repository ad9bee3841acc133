import CoreMetrics
import Foundation
import MetricsTestKit
@testable import RxObservability
import RxTest
import Testing

private final class HookedFactory: MetricsFactory {
    let metrics = TestMetrics()
    // nonisolated(unsafe) because the threads of a test call the factory in turn.
    nonisolated(unsafe) var hook: (() -> Void)?

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        if let hook {
            self.hook = nil
            hook()
        }
        return metrics.makeCounter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metrics.makeMeter(label: label, dimensions: dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metrics.makeTimer(label: label, dimensions: dimensions)
    }

    func destroyCounter(_: any CounterHandler) {}
    func destroyRecorder(_: any RecorderHandler) {}
    func destroyMeter(_: any MeterHandler) {}
    func destroyTimer(_: any TimerHandler) {}
}

// Uses separate processes, because the counters are global.
struct CountersExportTests {
    @Test func countsBecomeCountersAndCurrentValuesGauges() async {
        await #expect(processExitsWith: .success) {
            let (exported, source) = (Exported.counters(), PublishSubject<Int>())
            let scheduler = TestScheduler(initialClock: 0)
            let bounded = source.observe(on: scheduler, buffering: .newest(37)).subscribe()
            let failed = Observable<Int>.error(Declined()).subscribe(onError: { _ in })
            for element in 0..<40 { source.onNext(element) }
            exported.next()
            expect(exported.counter("rx.subscriptions"), 2)
            expect(exported.counter("rx.events"), 0)
            expect(exported.counter("rx.errors"), 1)
            let bound = ("rx.bound", "37")
            expect(exported.gauge("rx.boundary.live", "observe(on:)", bound), 1)
            expect(exported.gauge("rx.boundary.depth", "observe(on:)", bound), 37)
            expect(exported.counter("rx.boundary.drops", "observe(on:)", bound), 3)
            expect(exported.counter("rx.boundary.pauses", "observe(on:)", bound), 0)
            scheduler.start()
            exported.next()
            expect(exported.gauge("rx.boundary.depth", "observe(on:)", bound), 0)
            expect(exported.counter("rx.events"), 37)
            bounded.dispose()
            failed.dispose()
        }
    }

    @Test func counterIsIncrementedByTheGrowthSinceThePreviousExport() async {
        await #expect(processExitsWith: .success) {
            let (exported, source) = (Exported.counters(), PublishSubject<Int>())
            let subscription = source.subscribe()
            for count in [3, 0, 2] {
                for element in 0..<count { source.onNext(element) }
                exported.next()
            }
            expect(try? exported.metrics.expectCounter("rx.events").values, [3, 2])
            subscription.dispose()
        }
    }

    @Test func counterStartsAtZeroWithTheExport() async {
        await #expect(processExitsWith: .success) {
            let (first, source) = (Exported.counters(), PublishSubject<Int>())
            let subscription = source.subscribe()
            source.onNext(1)
            first.next()
            first.export.dispose()
            let second = Exported.counters()
            source.onNext(2)
            second.next()
            expect([first, second].map { $0.counter("rx.events") }, [1, 1])
            expect(second.counter("rx.subscriptions"), 0)
            subscription.dispose()
        }
    }

    @Test func exportDuringAnotherThreadsExportCountsNothingTwice() async {
        await #expect(processExitsWith: .success) {
            let (factory, source) = (HookedFactory(), PublishSubject<Int>())
            let counters = ExportedCounters(MetricSeries(prefix: "rx", names: 100, factory: factory))
            Counters.isCounting = true
            let subscription = source.subscribe()
            for element in 0..<3 { source.onNext(element) }
            factory.hook = {
                source.onNext(3)
                let hasExported = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    counters.export()
                    hasExported.signal()
                }
                hasExported.wait()
            }
            for _ in 0..<2 { counters.export() }
            expect(try? factory.metrics.expectCounter("rx.events").totalValue, 4)
            expect(try? factory.metrics.expectCounter("rx.subscriptions").totalValue, 1)
            subscription.dispose()
        }
    }

    @Test func lowerCountThanBeforeIsRestarted() {
        #expect([(3, 5), (5, 5), (5, 2)].map { ExportedCounters.growth(from: $0, to: $1) } == [2, 0, 2])
    }

    @Test func numberOfSchedulersAndBoundariesIsBounded() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.counters(names: 2)
            let source = PublishSubject<Int>()
            let scheduler = TestScheduler(initialClock: 0)
            func subscribe(_ place: Int) -> any Disposable {
                source.observe(on: scheduler, buffering: .oldest(place))
                    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "queue \(place)"))
                    .subscribe()
            }
            var subscriptions = (1...2).map(subscribe)
            exported.next()
            subscriptions += (3...9).map(subscribe)
            for element in 0..<5 { source.onNext(element) }
            exported.next()
            expect(exported.gauge("rx.scheduler.hops", "TestScheduler"), 9)
            expect(exported.gauge("rx.scheduler.hops", "queue 1"), 1)
            expect(exported.gauge("rx.scheduler.hops", "other"), 8)
            expect(exported.counter("rx.boundary.drops", "observe(on:)", ("rx.bound", "1")), 4)
            expect(exported.gauge("rx.boundary.depth", "observe(on:)", ("rx.bound", "2")), 2)
            let other = ("rx.bound", "other")
            expect(exported.gauge("rx.boundary.live", "other", other), 7)
            expect(exported.gauge("rx.boundary.depth", "other", other), 32)
            expect(exported.gauge("rx.boundary.high_water", "other", other), 5)
            expect(exported.counter("rx.boundary.drops", "other", other), 3)
            expect(exported.metrics.counters.count, 3 + 3 * 2)
            for subscription in subscriptions { subscription.dispose() }
        }
    }

    @Test func unboundedBoundaryHasNoBound() async {
        await #expect(processExitsWith: .success) {
            let (exported, source) = (Exported.counters(), PublishSubject<Int>())
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler).observe(on: scheduler, buffering: .pausing(4)).subscribe()
            for element in 0..<7 { source.onNext(element) }
            exported.next()
            expect(exported.gauge("rx.boundary.depth", "observe(on:)", ("rx.bound", "none")), 7)
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func highestQueueLengthIsGauge() async {
        await #expect(processExitsWith: .success) {
            let (exported, source) = (Exported.counters(), PublishSubject<Int>())
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler, buffering: .pausing(64)).subscribe()
            for element in 0..<7 { source.onNext(element) }
            scheduler.start()
            exported.next()
            let bound = ("rx.bound", "64")
            expect(exported.gauge("rx.boundary.depth", "observe(on:)", bound), 0)
            expect(exported.gauge("rx.boundary.high_water", "observe(on:)", bound), 7)
            subscription.dispose()
        }
    }

    @Test func schedulerCountersAreExported() async {
        await #expect(processExitsWith: .success) {
            let (exported, source) = (Exported.counters(), PublishSubject<Int>())
            func gauge(_ name: String) -> Double? { exported.gauge("rx.scheduler.\(name)", "TestScheduler") }
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler).subscribe()
            for element in 0..<3 { source.onNext(element) }
            exported.next()
            expect(["hops", "depth", "high_water"].map(gauge), [1, 3, 3])
            // Makes these elements wait longer than later ones.
            usleep(200_000)
            scheduler.start()
            exported.next()
            expect(["depth", "high_water"].map(gauge), [0, 3])
            var (last, longest) = (gauge("latency") ?? 0, gauge("latency.max") ?? 0)
            precondition(longest >= 0.2, "\(longest)")
            for element in 3..<100 where last >= longest {
                source.onNext(element)
                scheduler.start()
                exported.next()
                (last, longest) = (gauge("latency") ?? 0, gauge("latency.max") ?? 0)
            }
            precondition(last > 0 && last < longest, "\((last, longest))")
            subscription.dispose()
        }
    }

    @Test func pageListsEveryMetricAndItsLabels() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let (exported, scheduler) = (Exported.counters(), TestScheduler(initialClock: 0))
            let subscription = Observable.just(1).observe(on: scheduler, buffering: .pausing(64)).subscribe()
            exported.next()
            for line in exported.metrics.lines { print(line) }
            subscription.dispose()
        }
        let exported = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            .split(separator: "\n").filter { $0.hasPrefix("rx.") }.map(String.init)
        #expect(exported.sorted() == (try MetricsRow.page().counters.map { $0.line($0.labels) }.sorted()))
    }

    @Test func waitingTimersAreExported() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.counters()
            let timer = Observable<Int>.timer(
                .seconds(3_600), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
            )
            .subscribe()
            exported.next()
            expect(exported.gauge("rx.timers.pending"), 1)
            timer.dispose()
        }
    }

    @Test func pausedSourceIsNotCountedAsDrop() async {
        await #expect(processExitsWith: .success) {
            let (exported, scheduler) = (Exported.counters(), TestScheduler(initialClock: 0))
            let subscription = Observable.range(start: 0, count: 10)
                .observe(on: scheduler, buffering: .pausing(4)).subscribe()
            scheduler.start()
            exported.next()
            let pauses = exported.counter("rx.boundary.pauses", "observe(on:)", ("rx.bound", "4"))
            precondition((pauses ?? 0) > 0, "\(String(describing: pauses))")
            expect(exported.counter("rx.boundary.drops", "observe(on:)", ("rx.bound", "4")), 0)
            subscription.dispose()
        }
    }

    @Test func exportRunsEachPeriodUntilDisposed() async {
        await #expect(processExitsWith: .success) {
            let exported = Exported.counters()
            precondition(Counters.isCounting)
            exported.scheduler.advanceTo(9)
            precondition(exported.metrics.recorders.isEmpty)
            exported.scheduler.advanceTo(25)
            let timers = try? exported.metrics.expectGauge("rx.timers.pending")
            expect(timers?.values.count, 2)
            exported.export.dispose()
            exported.scheduler.advanceTo(60)
            expect(timers?.values.count, 2)
        }
    }

    @Test func exportUsesPrefix() async {
        await #expect(processExitsWith: .success) {
            let (exported, scheduler) = (Exported.counters(prefix: "shop"), TestScheduler(initialClock: 0))
            let subscription = Observable.just(1).observe(on: scheduler, buffering: .pausing(64)).subscribe()
            exported.next()
            let metrics = exported.metrics
            let all =
                metrics.recorders.map { [$0.label] + $0.dimensions.map(\.0) }
                + metrics.counters.map { [$0.label] + $0.dimensions.map(\.0) }
            precondition(all.contains { $0.contains("shop.bound") }, "\(all)")
            precondition(all.joined().allSatisfy { $0.hasPrefix("shop.") }, "\(all)")
            subscription.dispose()
        }
    }
}
