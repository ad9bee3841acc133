public import Dispatch
public import RxSwift

/// The time on a scheduler's clock after which a result is of no use.
///
/// ``RxSwift/ObservableType/deadline(in:scheduler:)`` and ``withDeadline(in:scheduler:isolation:_:)`` set a deadline.
/// Code that runs under a deadline can pass the remaining time to the next service, or skip work that would end too
/// late.
///
///     Single.deferred {
///         var request = request
///         if let left = Deadline.current?.remaining { request.timeout = left }
///         return client.send(request)
///     }
///
/// ``current`` is a task-local value. It is set:
/// - on the subscribing thread, while the sequence upstream of `deadline(in:scheduler:)` is being subscribed to: in
///   closures of `deferred` and `create`, and in tasks that these closures start;
/// - whenever ``RxSwift/ObservableType/retry(_:budget:if:scheduler:using:)`` and
///   ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)`` subscribe again, and when a call begins after a
///   wait for a ``Bulkhead`` or a ``RateLimiter``;
/// - in the body of `withDeadline` and in its child tasks.
///
/// ``current`` is not set in closures that receive elements, nor while an operator such as `flatMap` subscribes to the
/// sequences that its closure returns. For such closures, read ``current`` in a `deferred` around the chain, and
/// capture it.
// @unchecked Sendable because any thread may read a scheduler's clock.
public struct Deadline: @unchecked Sendable {
    /// The deadline of the current subscription or task.
    @TaskLocal public static var current: Deadline?

    /// The requested span.
    public let span: RxTimeInterval
    private let clock: SpanClock
    /// The deadline in the clock's nanoseconds.
    private let moment: Int

    /// Creates a deadline `span` after the current time on the clock of `scheduler`. With `.never`, the deadline never
    /// comes.
    public init(in span: RxTimeInterval, scheduler: any SchedulerType) {
        self.span = span
        clock = SpanClock(scheduler)
        moment = clock.now.advanced(bySaturating: span.nanosecondsInInt)
    }

    /// The remaining time: zero after the deadline; `.never` if the deadline never comes.
    public var remaining: RxTimeInterval { .span(nanosecondsLeft) }

    /// Whether the deadline has passed.
    public var hasPassed: Bool { nanosecondsLeft == 0 }

    /// The remaining nanoseconds, at least 0; `Int.max` if the deadline never comes.
    var nanosecondsLeft: Int {
        moment == .max ? .max : max(0, moment.span(since: clock.now))
    }

    static func within(_ span: RxTimeInterval, _ scheduler: any SchedulerType) -> Deadline {
        let new = Deadline(in: span, scheduler: scheduler)
        guard let current, current.nanosecondsLeft <= new.nanosecondsLeft else { return new }
        return current
    }

    /// Runs `body` under `deadline`, or without a deadline if `deadline` is nil.
    static func restore(_ deadline: Deadline?, _ body: () -> Void) {
        if deadline == nil, current == nil { body() } else { $current.withValue(deadline, operation: body) }
    }

    var error: TimeoutError { TimeoutError(exceeded: .deadline, limit: span) }
}

extension ObservableType {
    /// Fails with a ``TimeoutError`` after `span`, and sets ``Deadline/current`` for upstream operators and sources.
    ///
    ///     source:                  --1--2-----3--|
    ///     deadline(in: 6 columns): --1--2#
    ///
    /// ![Fails when the time is over, whatever has come](marble-deadline)
    ///
    ///     client.send(request).retry(.exponential(from: .milliseconds(50), limit: .seconds(1)), scheduler: scheduler)
    ///         .deadline(in: .seconds(2), scheduler: scheduler)
    ///
    /// Of nested deadlines, the earliest applies. If the earliest has already passed, this sequence is not subscribed
    /// to.
    ///
    /// The span begins with the subscription. The error is sent on `scheduler`, and this sequence is disposed of.
    /// Disposing of the result ends the timer. The time also runs during a pause.
    public func deadline(in span: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        deadline(scheduler, "deadline") { span }
    }

    /// - Parameters:
    ///   - endsWithElement: whether the first element ends the deadline, as for a single.
    ///   - span: called once for each subscription, on the subscribing thread.
    func deadline(
        _ scheduler: any SchedulerType, _ name: String, endsWithElement: Bool = false,
        _ span: @escaping @Sendable () -> RxTimeInterval
    ) -> Observable<Element> {
        let source = asObservable()
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        return .deferred {
            let deadline = Deadline.within(span(), scheduler)
            let left = deadline.nanosecondsLeft
            guard left > 0 else {
                deadline.error.tell(name)
                throw deadline.error
            }
            return source.subscribed(under: deadline).timeout(
                TimeoutSpans(total: .span(left), endsWithElement: endsWithElement), scheduler, name,
                totalError: deadline.error)
        }
    }

    /// Subscribes under `deadline`, not under the subscriber's deadline. If `deadline` is nil, subscribes without a
    /// deadline.
    func subscribed(under deadline: Deadline?) -> Observable<Element> {
        ContextSource(asObservable()) { Deadline.restore(deadline, $0) }
    }

    /// Captures the current deadline and context. Later subscriptions, on any thread, are made under both.
    func subscribedLater() -> Observable<Element> {
        ContextSource.capturing(for: subscribed(under: Deadline.current))
    }
}

extension PrimitiveSequence {
    /// Fails with a ``TimeoutError`` after `span`, and sets ``Deadline/current`` for upstream operators and sources.
    ///
    /// See ``RxSwift/ObservableType/deadline(in:scheduler:)``. An element that comes in time waits for the completion,
    /// so it may be delivered after the deadline.
    public func deadline(in span: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        asObservable().deadline(scheduler, "deadline", endsWithElement: true) { span }.elementAtCompletion()
    }
}
