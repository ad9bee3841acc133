public import Dispatch

extension ObservableType {
    /// The elements of a span of time, which begins with the subscription.
    ///
    ///     source:              --1--2--3--4--|
    ///     take(for: 7 columns): --1--2-|
    ///
    /// Completes at the end of the span, or with the source before. Even a span of zero lets a source pass that emits
    /// while it is subscribed. The end of the span comes on `scheduler`; events are delivered one at a time.
    ///
    /// - Parameters:
    ///   - duration: the span.
    ///   - scheduler: what measures the time.
    @inlinable
    @inline(never)
    public __consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Spanned<TakeForJunction<Element>>(asObservable(), duration, scheduler)
    }

    /// The elements of a span of time.
    @available(*, deprecated, renamed: "take(for:scheduler:)")
    @inlinable
    @inline(never)
    public func take(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: duration, scheduler: scheduler)
    }
}

@usableFromInline
final class TakeForJunction<Element>: TimedJunction<Element>, SpanJunction {
    @usableFromInline
    override init(_ assembly: inout Assembly, _ scheduler: any SchedulerType) {
        super.init(&assembly, scheduler)
    }

    @inlinable
    func next(_ element: Element) {
        deliver(element)
    }

    @usableFromInline
    func sourceEnded(_ error: (any Error)?, _ source: ChildDisposer) {
        end(error)
    }

    @usableFromInline
    override func tick() {
        end(nil)
    }
}
