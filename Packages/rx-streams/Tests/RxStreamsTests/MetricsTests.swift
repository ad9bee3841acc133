import CoreMetrics
import MetricsTestKit
import RxStreams
import RxSwift
import Synchronization
import Testing

@Suite(.serialized)
struct MetricsTests {
    @Test func leftMemberHasNoUnsettledMessages() throws {
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                for try await _ in Observable.just(1).publish(to: orders).values(buffering: .pausing(1)) {}
                let deliveries = orders.deliveries(to: "g").subscribe()
                try await broker.driver.sleep(.seconds(1))
                deliveries.dispose()
                try await broker.driver.sleep(.seconds(1))
            }
        }
        let unsettled = try metrics.expectGauge("rx_streams_unsettled", [("stream", "orders"), ("group", "g")])
        #expect(unsettled.values.contains(1) && unsettled.lastValue == 0)
    }

    @Test func settledMessageIsNotUnsettled() throws {
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                let deliveries = orders.deliveries(to: "g").subscribe(onNext: { $0.ack() })
                for order in 1...2 {
                    for try await _ in Observable.just(order).publish(to: orders).values(buffering: .pausing(1)) {}
                    try await broker.driver.sleep(.seconds(1))
                }
                deliveries.dispose()
                try await broker.driver.sleep(.seconds(1))
            }
        }
        let unsettled = try metrics.expectGauge("rx_streams_unsettled", [("stream", "orders"), ("group", "g")])
        #expect(Array(unsettled.values.prefix(4)) == [1, 0, 1, 0])
    }

    @Test func pauseDurationOfDownstreamIsRecorded() throws {
        let metrics = PausedMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                let deliveries = orders.deliveries(to: "g", inFlight: 10, deadline: .seconds(1_000))
                var elements = deliveries.values(buffering: .pausing(2)).makeAsyncIterator()
                for order in 1...6 {
                    for try await _ in Observable.just(order).publish(to: orders).values(buffering: .pausing(1)) {}
                    if order == 1 { _ = try await elements.next() }
                    try await broker.driver.sleep(.seconds(1))
                }
                // The metric uses a real clock.
                let begun = ContinuousClock.now
                while begun.duration(to: .now) < .milliseconds(100) {}
                for _ in 2...6 { _ = try await elements.next() }
                withExtendedLifetime(elements) {}
            }
        }
        #expect(metrics.paused.total >= 0.1)
    }

    @Test func lagOfLeftMemberIsNotReported() throws {
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                let deliveries = orders.deliveries(to: "g").subscribe()
                try await broker.driver.sleep(.seconds(25))
                deliveries.dispose()
                try await broker.driver.sleep(.seconds(100))
            }
        }
        let lag = try metrics.expectGauge("rx_streams_lag", [("stream", "orders"), ("group", "g")])
        #expect(lag.values == [0, 0])
    }

    @Test func unsettledMessagesCountInLag() throws {
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                for try await _ in Observable.from([1, 2, 3]).publish(to: orders).values(buffering: .pausing(8)) {}
                let deliveries = orders.deliveries(to: "g", inFlight: 2, deadline: .seconds(60)).subscribe()
                try await broker.driver.sleep(.seconds(15))
                deliveries.dispose()
            }
        }
        let group = [("stream", "orders"), ("group", "g")]
        #expect(try metrics.expectGauge("rx_streams_lag", group).values == [3])
    }

    @Test func undecodableMessagesAreCountedInGroupsAndReplays() throws {
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                try await orders.ensure()
                _ = try await broker.driver.append([NewMessage("orders", [1])], to: "orders")
                let deliveries = orders.deliveries(to: "g").subscribe()
                try await broker.driver.sleep(.seconds(1))
                deliveries.dispose()
                for _ in 1...2 {
                    for try await _ in orders.replay(from: .beginning, live: false).values(buffering: .pausing(1)) {}
                }
            }
        }
        #expect(try metrics.expectCounter("rx_streams_undecodable_total", [("stream", "orders")]).totalValue == 3)
    }

    @Test func outcomesOfMessagesAreCounted() throws {
        struct No: Error {}
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let orders = broker.stream("orders", of: Int.self)
            try broker.run {
                broker.loseVerdicts(1)
                for try await _ in Observable.from([1, 2, 3, 3]).publish(to: orders, id: { "\($0)" })
                    .values(buffering: .pausing(8))
                {}
                let work = orders.work(as: "g", retry: .every(.seconds(1)), attempts: 2, deadline: .seconds(5)) {
                    if $0 == 3 { throw No() }
                }.subscribe()
                try await broker.driver.sleep(.seconds(60))
                work.dispose()
            }
        }
        let stream = [("stream", "orders")]
        let group = stream + [("group", "g")]
        #expect(try metrics.expectCounter("rx_streams_published_total", stream).totalValue == 4)
        #expect(try metrics.expectCounter("rx_streams_duplicates_total", stream).totalValue == 1)
        #expect(try !metrics.expectTimer("rx_streams_publish_seconds", stream).values.isEmpty)
        #expect(try metrics.expectCounter("rx_streams_delivered_total", group).totalValue == 5)
        #expect(try metrics.expectCounter("rx_streams_handled_total", group).totalValue == 3)
        #expect(try metrics.expectCounter("rx_streams_retried_total", group).totalValue == 1)
        #expect(try metrics.expectCounter("rx_streams_dead_total", group).totalValue == 1)
        #expect(try metrics.expectCounter("rx_streams_redelivered_total", group).totalValue == 2)
        #expect(try metrics.expectGauge("rx_streams_lag", group).lastValue == 0)
        #expect(try metrics.expectGauge("rx_streams_unsettled", group).lastValue == 0)
    }

    @Test func publishDurationIsRecorded() throws {
        let metrics = TestMetrics()
        try withMetricsFactory(metrics) {
            let broker = VirtualBroker(HistoricalScheduler())
            let base = broker.driver
            let driver = OtherDriver(
                base,
                append: { messages, stream in
                    // The metric uses a real clock.
                    let begun = ContinuousClock.now
                    while begun.duration(to: .now) < .milliseconds(20) {}
                    return try await base.append(messages, to: stream)
                })
            let orders = OtherBroker(driver: driver).stream("orders", of: Int.self)
            try broker.run {
                for try await _ in Observable.just(1).publish(to: orders).values(buffering: .pausing(1)) {}
            }
        }
        let spans = try metrics.expectTimer("rx_streams_publish_seconds", [("stream", "orders")]).values
        #expect(spans.count == 1 && spans.allSatisfy { $0 >= 20_000_000 })
    }
}

/// Metrics that record fractions of seconds, which the test handlers of swift-metrics do not record.
private struct PausedMetrics: MetricsFactory {
    final class Seconds: FloatingPointCounterHandler, Sendable {
        private let sum = Mutex(0.0)
        var total: Double { sum.withLock { $0 } }
        func increment(by amount: Double) { sum.withLock { $0 += amount } }
        func reset() {}
    }

    let paused = Seconds()

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        NOOPMetricsHandler.instance
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { paused }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
