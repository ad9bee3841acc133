import InMemoryTracing
import MetricsTestKit
import RxObservability
import RxTest
import Testing
import Tracing

struct DocumentationTests {
    private struct Order {
        let id: Int
    }

    @Test func examplesUseOneOperatorEach() throws {
        let (log, metrics, tracer, order) = (TestLog(), TestMetrics(), InMemoryTracer(), Order(id: 7))
        func charge(_ order: Order) -> Single<Int> { .just(order.id) }

        let watched = charge(order)
            .logged(log.logger, as: "charge", metadata: ["order": "\(order.id)"])
            .metered("charge", factory: metrics)
            .traced("charge", tracer, kind: .client)
        _ = watched.subscribe()

        #expect(log.messages == ["subscribed", "next 7", "completed"])
        #expect(log.handler.entries.allSatisfy { $0.metadata["order"] == "7" })
        #expect(metrics.counterTotal(label: "charge.subscribed") == 1)
        #expect(metrics.timers.map(\.label).sorted() == ["charge.flow.duration", "charge.onNext.delay"])
        #expect(tracer.finishedSpans.map(\.operationName) == ["charge"])
    }

    @Test func spansAreNestedAsDocumented() {
        let (tracer, queue, orders) = (InMemoryTracer(), TestScheduler(initialClock: 0), Observable.of(1))
        let report = Observable.just(0)
        @Sendable func charge(_ order: Int) -> Observable<Int> { .just(order) }

        tracer.withSpan("request") { _ in
            _ = orders.observe(on: queue)
                .flatMap { order in charge(order).traced("charge", tracer) }
                .traced("orders", tracer)
                .concat(report.traced("report", tracer))
                .subscribe()
        }
        queue.start()

        let spans = tracer.finishedSpans
        let names = Dictionary(uniqueKeysWithValues: spans.map { ($0.spanID, $0.operationName) })
        let parents = spans.map { "\($0.operationName) of \($0.parentSpanID.flatMap { names[$0] } ?? "none")" }
        #expect(Set(parents) == ["request of none", "orders of request", "charge of orders", "report of request"])
    }
}
