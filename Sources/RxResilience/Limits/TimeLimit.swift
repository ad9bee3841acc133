public import Dispatch
public import RxSwift

/// A span that can change while the program runs, for timeouts and deadlines.
///
///     let patience = TimeLimit(.seconds(2), name: "charge")
///     let receipt = client.charge(order).timeout(within: patience, scheduler: scheduler)
///     try patience.setSpan(.seconds(3))
///
/// A subscription keeps the span with which it was made, so a change never ends a running call. See
/// <doc:ChangingLimits>. Any thread may use a limit.
public final class TimeLimit: Sendable {
    /// The limit's name in ``InvalidLimit`` and in events of exceeded spans.
    public let name: String

    private let current: Locked<RxTimeInterval>

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - span: the span; `.never` for no limit. A span below a nanosecond stops the process.
    ///   - name: the limit's name in errors.
    public init(_ span: RxTimeInterval, name: String = "timeout") {
        Self.problem(span)?.stop("TimeLimit")
        self.name = name
        current = Locked(span)
    }

    /// The span of new subscriptions.
    public var span: RxTimeInterval { current.withLock { $0 } }

    /// Changes the span, but not running timers.
    ///
    /// - Throws: ``InvalidLimit`` for a span of zero or less.
    public func setSpan(_ span: RxTimeInterval) throws(InvalidLimit) {
        if let problem = Self.problem(span) { throw problem.error("time limit \(name)") }
        current.withLock { $0 = span }
    }

    private static func problem(_ span: RxTimeInterval) -> LimitProblem? {
        span.nanosecondsInInt < 1 ? LimitProblem("A time limit needs a span longer than zero", "span", span, "") : nil
    }
}

extension ObservableType {
    /// Fails with a ``TimeoutError`` if the first element takes longer than a limit that can change.
    ///
    /// See ``RxSwift/ObservableType/timeout(first:between:total:scheduler:)``.
    public func timeout(first: TimeLimit, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(scheduler, first.name) { TimeoutSpans(first: first.span) }
    }

    /// Fails with a ``TimeoutError`` if the time between two elements exceeds a limit that can change.
    ///
    /// See ``RxSwift/ObservableType/timeout(first:between:total:scheduler:)``.
    public func timeout(between: TimeLimit, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(scheduler, between.name) { TimeoutSpans(between: between.span) }
    }

    /// Fails with a ``TimeoutError`` if this sequence takes longer than a limit that can change.
    ///
    /// See ``RxSwift/ObservableType/timeout(first:between:total:scheduler:)``.
    public func timeout(within limit: TimeLimit, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(scheduler, limit.name) { TimeoutSpans(total: limit.span) }
    }

    /// Fails with a ``TimeoutError`` after a limit that can change, and sets ``Deadline/current``.
    ///
    /// See ``RxSwift/ObservableType/deadline(in:scheduler:)``.
    public func deadline(within limit: TimeLimit, scheduler: any SchedulerType) -> Observable<Element> {
        deadline(scheduler, limit.name) { limit.span }
    }
}

extension PrimitiveSequence {
    /// Fails with a ``TimeoutError`` if this sequence takes longer than a limit that can change.
    ///
    /// See ``RxSwift/PrimitiveSequence/timeout(total:scheduler:)``.
    public func timeout(within limit: TimeLimit, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        asObservable().timeout(scheduler, limit.name) { TimeoutSpans(total: limit.span, endsWithElement: true) }
            .elementAtCompletion()
    }

    /// Fails with a ``TimeoutError`` after a limit that can change, and sets ``Deadline/current``.
    ///
    /// See ``RxSwift/PrimitiveSequence/deadline(in:scheduler:)``.
    public func deadline(within limit: TimeLimit, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        asObservable().deadline(scheduler, limit.name, endsWithElement: true) { limit.span }.elementAtCompletion()
    }
}
