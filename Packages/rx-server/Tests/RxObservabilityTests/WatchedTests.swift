import InMemoryTracing
import MetricsTestKit
import RxObservability
import RxTest
import Testing

struct WatchedTests {
    @Test func pausePassesWatchingOperators() {
        let (scheduler, log, metrics, tracer) = (
            TestScheduler(initialClock: 0), TestLog(), TestMetrics(), InMemoryTracer()
        )
        nonisolated(unsafe) var (made, taken, most) = (0, 0, 0)
        let subscription = Observable.range(start: 1, count: 100)
            .do(onNext: { _ in made += 1 })
            .logged(log.logger).metered("orders", factory: metrics).traced("orders", tracer)
            .observe(on: scheduler)
            .bounded(4)
            .subscribe(onNext: { _ in
                most = max(most, made - taken)
                taken += 1
            })
        scheduler.start()
        subscription.dispose()
        #expect(taken == 100)
        #expect(most <= 5)
        #expect(tracer.finishedSpans.count == 1)
    }

    @Test func watchingOperatorsReleaseTheirSource() {
        weak var kept: AnyObject?
        do {
            let resource = BooleanDisposable()
            kept = resource
            let (log, metrics, tracer) = (TestLog(), TestMetrics(), InMemoryTracer())
            let source = PublishSubject<Int>()
            let subscription = source.map { [resource] in resource.isDisposed ? 0 : $0 }
                .logged(log.logger).metered("orders", factory: metrics).traced("orders", tracer).subscribe()
            source.onNext(1)
            subscription.dispose()
        }
        #expect(kept == nil)
    }
}
