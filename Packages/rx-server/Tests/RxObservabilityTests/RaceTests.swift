import InMemoryTracing
import MetricsTestKit
import RxObservability
import Testing

struct RaceTests {
    /// A disposal that any thread may perform.
    private struct Disposal: @unchecked Sendable {
        private let subscription: any Disposable

        init(_ subscription: any Disposable) {
            self.subscription = subscription
        }

        func callAsFunction() async { subscription.dispose() }
    }

    @Test func endAndDisposalRaceIsCountedOnce() async {
        let (log, metrics, tracer) = (TestLog(), TestMetrics(), InMemoryTracer())
        let rounds = 500
        for _ in 0..<rounds {
            let source = PublishSubject<Int>()
            let subscription = source.logged(log.logger).metered("orders", factory: metrics).traced("orders", tracer)
                .subscribe()
            let disposal = Disposal(subscription)
            async let disposed: Void = disposal()
            source.onNext(1)
            source.onCompleted()
            await disposed
        }
        #expect(tracer.finishedSpans.count == rounds)
        #expect(tracer.activeSpans.isEmpty)
        #expect(metrics.timers.filter { $0.label == "orders.flow.duration" }.map(\.values.count).reduce(0, +) == rounds)
        #expect(log.messages.filter { ["completed", "disposed"].contains($0) }.count == rounds)
    }
}
