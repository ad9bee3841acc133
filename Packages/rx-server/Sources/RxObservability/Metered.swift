public import Metrics
@_spi(RxServer) public import RxSwift
import ServerSupport

extension ObservableType {
    /// Measures the subscriptions to this sequence with swift-metrics, under the names of reactor-core-micrometer.
    ///
    /// ```swift
    /// orders.metered("orders")
    /// ```
    ///
    /// | metric | kind | | dimensions |
    /// |---|---|---|---|
    /// | `orders.subscribed` | counter | subscriptions | `type` |
    /// | `orders.onNext` | counter | elements | `type` |
    /// | `orders.onNext.delay` | timer | from the subscription to the first element, and between elements | `type` |
    /// | `orders.errors` | counter | errors | `type`, `exception` |
    /// | `orders.flow.duration` | timer | from the subscription to its end | `type`, `status` |
    ///
    /// `type` is `Observable`, `Single` and so on; `status` is `completed`, `completedEmpty`, `error` or `cancelled`;
    /// `exception` is the error's type.
    ///
    /// Metrics are recorded on the thread that subscribes, delivers or disposes, before the event is forwarded. No lock
    /// is taken. An element costs a clock read, a counter and a timer. A call of `metered` inside a `flatMap` closure
    /// makes the metrics again for each element.
    ///
    /// - Parameters:
    ///   - name: the prefix of the metrics' names.
    ///   - dimensions: labels added to each metric. Every combination of values is a separate series.
    ///   - factory: makes the metrics.
    ///   - clock: measures the times. With RxTest's `TestClock`, this is virtual time.
    public func metered(
        _ name: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Element> {
        asObservable().metered(.observable, SequenceMetrics(name, .observable, dimensions, factory), clock)
    }
}

extension InfallibleType {
    /// See ``RxSwift/ObservableType/metered(_:dimensions:factory:clock:)``.
    public func metered(
        _ name: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Infallible<Element> {
        asObservable().metered(.infallible, SequenceMetrics(name, .infallible, dimensions, factory), clock)
            .asInfallibleAgain()
    }
}

extension PrimitiveSequence {
    /// See ``RxSwift/ObservableType/metered(_:dimensions:factory:clock:)``. An element counts as the end.
    public func metered(
        _ name: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> PrimitiveSequence<Trait, Element> {
        let kind = SequenceKind(Trait.self)
        return .trusting(
            asObservable().metered(kind, SequenceMetrics(name, kind, dimensions, factory), clock))
    }
}

extension Observable {
    fileprivate func metered(
        _ kind: SequenceKind, _ metrics: SequenceMetrics, _ clock: some Clock<Duration>
    ) -> Observable<Element> {
        watched(kind) { source in
            metrics.subscribed.increment()
            return (MetricsProbe<Element, _>(metrics, clock), source)
        }
    }
}

/// Shared by all subscriptions of a sequence. Immutable.
private final class SequenceMetrics {
    private let name: String
    private let dimensions: [(String, String)]
    private let factory: any MetricsFactory
    let subscribed: Counter
    let elements: Counter
    let delay: Metrics.Timer

    init(_ name: String, _ kind: SequenceKind, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
        self.name = name
        self.dimensions = dimensions + [("type", kind.rawValue)]
        self.factory = factory
        subscribed = Counter(label: "\(name).subscribed", dimensions: self.dimensions, factory: factory)
        elements = Counter(label: "\(name).onNext", dimensions: self.dimensions, factory: factory)
        delay = Metrics.Timer(label: "\(name).onNext.delay", dimensions: self.dimensions, factory: factory)
    }

    /// Makes the timer only now, because `status` is one of its dimensions. A factory returns the same metric for equal
    /// names and dimensions.
    func ended(_ status: String, after duration: Duration) {
        Metrics.Timer(label: "\(name).flow.duration", dimensions: dimensions + [("status", status)], factory: factory)
            .recordNanoseconds(duration.inNanoseconds)
    }

    func failed(_ error: any Error) {
        Counter(
            label: "\(name).errors", dimensions: dimensions + [("exception", "\(type(of: error))")], factory: factory
        ).increment()
    }
}

/// - `last`, `isEmpty`: used only by deliveries, not by a disposal on another thread.
// @unchecked Sendable because deliveries are serial.
private final class MetricsProbe<Element, Time: Clock<Duration>>: SubscriptionProbe, @unchecked Sendable {
    private let metrics: SequenceMetrics
    private let clock: Time
    private let begin: Time.Instant
    private var last: Time.Instant
    private var isEmpty = true

    init(_ metrics: SequenceMetrics, _ clock: Time) {
        self.metrics = metrics
        self.clock = clock
        begin = clock.now
        last = begin
    }

    func next(_: Element) {
        let now = clock.now
        metrics.elements.increment()
        metrics.delay.recordNanoseconds(last.duration(to: now).inNanoseconds)
        last = now
        isEmpty = false
    }

    func end(_ end: SubscriptionEnd) {
        let duration = begin.duration(to: clock.now)
        switch end {
        case .completed: metrics.ended(isEmpty ? "completedEmpty" : "completed", after: duration)
        case .failed(let error):
            metrics.failed(error)
            metrics.ended("error", after: duration)
        case .cancelled: metrics.ended("cancelled", after: duration)
        }
    }
}
