import Metrics
import MetricsTestKit
import RxObservability
import RxTest
import Testing

struct MeteredTests {
    private let metrics = TestMetrics()
    private let scheduler = TestScheduler.milliseconds()
    private var clock: TestClock { TestClock(scheduler) }

    private func count(_ name: String, _ dimensions: [(String, String)] = [("type", "Observable")]) throws -> Int64 {
        try metrics.expectCounter("orders.\(name)", dimensions).totalValue
    }

    /// The recorded times in milliseconds.
    private func times(_ name: String, _ dimensions: [(String, String)] = [("type", "Observable")]) throws -> [Double] {
        try metrics.expectTimer("orders.\(name)", dimensions).values.map { Double($0) / 1e6 }
    }

    private func durations(_ status: String, type: String = "Observable") throws -> [Double] {
        try times("flow.duration", [("type", type), ("status", status)])
    }

    @Test func subscriptionsElementsAndIntervalsAreMeasured() throws {
        let source = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(300)])
        _ = scheduler.start { source.metered("orders", factory: metrics, clock: clock) }
        #expect(try count("subscribed") == 1)
        #expect(try count("onNext") == 2)
        #expect(try times("onNext.delay") == [10, 30])
        #expect(try durations("completed") == [100])
    }

    @Test func endWithoutElementHasItsOwnStatus() throws {
        let source = scheduler.createHotObservable([Recorded<Event<Int>>.completed(250)])
        _ = scheduler.start { source.metered("orders", factory: metrics, clock: clock) }
        #expect(try durations("completedEmpty") == [50])
        #expect(metrics.timers.filter { $0.label == "orders.flow.duration" }.count == 1)
    }

    @Test func errorIsCountedByType() throws {
        let source = scheduler.createHotObservable([.next(210, 1), .error(220, Declined())])
        _ = scheduler.start { source.metered("orders", factory: metrics, clock: clock) }
        #expect(try durations("error") == [20])
        #expect(try count("errors", [("type", "Observable"), ("exception", "Declined")]) == 1)
    }

    @Test func disposedSubscriptionIsCountedAsCancelledOnce() throws {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(600)])
        _ = scheduler.start(disposed: 500) { source.metered("orders", factory: metrics, clock: clock) }
        #expect(try durations("cancelled") == [300])
        #expect(metrics.timers.filter { $0.label == "orders.flow.duration" }.count == 1)
    }

    @Test func subscriptionsShareMetricsAndHaveTheirOwnTimes() throws {
        let source = scheduler.createHotObservable([.next(230, 1), .completed(300)])
        let metered = source.metered("orders", factory: metrics, clock: clock)
        let observers = [200, 220].map { time in
            let observer = scheduler.createObserver(Int.self)
            scheduler.scheduleAt(time) { _ = metered.subscribe(observer) }
            return observer
        }
        scheduler.start()
        #expect(observers.allSatisfy { $0.events.count == 2 })
        #expect(try count("subscribed") == 2)
        #expect(try times("onNext.delay") == [30, 10])
        #expect(try durations("completed") == [100, 80])
    }

    @Test func dimensionsAreAddedToEachMetric() throws {
        _ = Observable.just(1).metered("orders", dimensions: [("region", "eu")], factory: metrics).subscribe()
        #expect(try count("subscribed", [("region", "eu"), ("type", "Observable")]) == 1)
        #expect(
            try times("flow.duration", [("region", "eu"), ("type", "Observable"), ("status", "completed")]).count == 1)
    }

    @Test func otherTraitsHaveDimensions() throws {
        let given = [("region", "eu")]
        _ = Single.just(1).metered("orders", dimensions: given, factory: metrics).subscribe()
        _ = Infallible.just(1).metered("orders", dimensions: given, factory: metrics).subscribe()
        #expect(try count("subscribed", given + [("type", "Single")]) == 1)
        #expect(try count("subscribed", given + [("type", "Infallible")]) == 1)
    }

    @Test func singleEndsWithItsElement() throws {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(210)])
        let observer = scheduler.start { source.asSingle().metered("orders", factory: metrics, clock: clock) }
        #expect(observer.events == [.next(210, 1), .completed(210)])
        #expect(try durations("completed", type: "Single") == [10])
    }

    @Test func failingSingleIsCountedAsError() throws {
        _ = Single<Int>.error(Declined()).metered("orders", factory: metrics, clock: clock).subscribe(onFailure: { _ in
        })
        #expect(try count("errors", [("type", "Single"), ("exception", "Declined")]) == 1)
    }

    @Test func otherTraitsAreMeasured() throws {
        _ = Maybe<Int>.empty().metered("orders", factory: metrics, clock: clock).subscribe()
        _ = Completable.empty().metered("orders", factory: metrics, clock: clock).subscribe()
        _ = Infallible.of(1, 2).metered("orders", factory: metrics, clock: clock).subscribe()
        #expect(try durations("completedEmpty", type: "Maybe") == [0])
        #expect(try durations("completedEmpty", type: "Completable") == [0])
        #expect(try durations("completed", type: "Infallible") == [0])
        #expect(try count("onNext", [("type", "Infallible")]) == 2)
    }
}
