public import Dispatch
public import RxSwift

/// When what was asked for is of no use any more: a moment on a scheduler's clock.
///
/// ``RxSwift/ObservableType/deadline(in:scheduler:)`` and ``withDeadline(in:scheduler:isolation:_:)`` set one, and
/// whatever is subscribed to or called within it can read it: to tell the next service how long it may take, or to
/// leave out what would come too late.
///
///     Single.deferred {
///         var request = request
///         if let left = Deadline.current?.remaining { request.timeout = left }
///         return client.send(request)
///     }
///
/// ``current`` is a task-local value. It is there
/// - while the sequence above `deadline(in:scheduler:)` is being subscribed to, on that thread: in `deferred`, in
///   `create`, and in the tasks that they start;
/// - whenever ``RxSwift/ObservableType/retry(_:budget:if:scheduler:using:)`` and
///   ``RxSwift/ObservableType/hedged(after:most:budget:scheduler:)`` subscribe again, and when a call begins that has
///   waited for a ``Bulkhead`` or a ``RateLimiter``;
/// - in the body of `withDeadline` and in its child tasks.
///
/// It is not there in the closures that elements are handed to, and so not while an operator such as `flatMap`
/// subscribes to what they return: read it in a `deferred` above, and hand it on.
// @unchecked Sendable because it is immutable, and any thread may read a scheduler's clock.
public struct Deadline: @unchecked Sendable {
    /// The deadline of what is being subscribed to, or of the running task. Nil where there is none.
    @TaskLocal public static var current: Deadline?

    /// The span that was asked for.
    public let span: RxTimeInterval
    private let clock: SpanClock
    /// The clock's nanoseconds.
    private let moment: Int

    /// A deadline a span of time from now.
    ///
    /// - Parameters:
    ///   - span: how long from now; `.never` for no end.
    ///   - scheduler: whose clock measures it.
    public init(in span: RxTimeInterval, scheduler: any SchedulerType) {
        self.span = span
        clock = SpanClock(scheduler)
        moment = clock.now.advanced(bySaturating: span.nanosecondsInInt)
    }

    /// How long it is until then: zero when it has passed, `.never` where it does not come.
    public var remaining: RxTimeInterval { .span(nanosecondsLeft) }

    /// Whether it has passed.
    public var hasPassed: Bool { nanosecondsLeft == 0 }

    /// From zero up; the greatest number where it does not come.
    var nanosecondsLeft: Int {
        moment == .max ? .max : max(0, moment.span(since: clock.now))
    }

    /// A deadline a span of time from now, or the current one, if that comes earlier.
    static func within(_ span: RxTimeInterval, _ scheduler: any SchedulerType) -> Deadline {
        let new = Deadline(in: span, scheduler: scheduler)
        guard let current, current.nanosecondsLeft <= new.nanosecondsLeft else { return new }
        return current
    }

    /// Does something under a deadline, or under none, whatever the current one is.
    static func restore(_ deadline: Deadline?, _ body: () -> Void) {
        if deadline == nil, current == nil { body() } else { $current.withValue(deadline, operation: body) }
    }

    var error: TimeoutError { TimeoutError(exceeded: .deadline, limit: span) }
}

extension ObservableType {
    /// Ends this sequence with a ``TimeoutError`` when a span of time from the subscription has passed, and lets
    /// everything above know how long there is.
    ///
    ///     source:                  --1--2-----3--|
    ///     deadline(in: 6 columns): --1--2#
    ///
    /// ![Fails when the time is over, whatever has come](marble-deadline)
    ///
    ///     client.send(request).retry(.exponential(from: .milliseconds(50), limit: .seconds(1)), scheduler: scheduler)
    ///         .deadline(in: .seconds(2), scheduler: scheduler)
    ///
    /// ``Deadline/current`` is set while this sequence is being subscribed to; of deadlines within each other, the
    /// earliest counts. Where it has passed already, this sequence is not subscribed to at all.
    ///
    /// The error comes on `scheduler`, all else as this sequence sends it, one event at a time. With the error this
    /// sequence is disposed of; disposing of the result ends the timer. The time goes on while the result is paused.
    ///
    /// - Parameters:
    ///   - span: the time there is, from the subscription.
    ///   - scheduler: what measures it.
    public func deadline(in span: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let source = asObservable()
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        return .deferred {
            let deadline = Deadline.within(span, scheduler)
            let left = deadline.nanosecondsLeft
            guard left > 0 else { throw deadline.error }
            return source.subscribed(under: deadline).timeout(
                TimeoutSpans(total: .span(left)), scheduler, totalError: deadline.error)
        }
    }

    /// This sequence, subscribed to under a deadline, or under none, by whomever.
    func subscribed(under deadline: Deadline?) -> Observable<Element> {
        ContextSource(asObservable()) { Deadline.restore(deadline, $0) }
    }

    /// This sequence, to be subscribed to later, maybe by another thread, as if it were now: under the same deadline,
    /// and in the context that is captured.
    func subscribedLater() -> Observable<Element> {
        ContextSource.capturing(for: subscribed(under: Deadline.current))
    }
}

extension PrimitiveSequence {
    /// Ends this sequence with a ``TimeoutError`` when a span of time from the subscription has passed, and lets
    /// everything above know how long there is.
    ///
    /// As ``RxSwift/ObservableType/deadline(in:scheduler:)``. An answer that has come in time is the end, however long
    /// it takes to deliver it.
    ///
    /// - Parameters:
    ///   - span: the time there is, from the subscription.
    ///   - scheduler: what measures it.
    public func deadline(in span: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        // The element comes with the end, so that no error follows it.
        PrimitiveSequence(raw: asObservable().deadline(in: span, scheduler: scheduler).takeLast(1))
    }
}
