public import Dispatch

extension ObservableType {
    /// The elements of a span of time, which begins with the subscription.
    ///
    ///     source:               --1--2--3--4--|
    ///     take(for: 7 columns): --1--2-|
    ///
    /// ![What comes before the span is over](marble-take-for)
    ///
    /// Completes at the end of the span, or with the source before. Even a span of zero lets a source pass that emits
    /// while it is subscribed. The end of the span comes on `scheduler`; events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; the time goes on.
    ///
    /// - Parameters:
    ///   - duration: the span.
    ///   - scheduler: what measures the time.
    ///
    /// ## See Also
    ///
    /// - [take on reactivex.io](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    @inline(never)
    public __consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        joined { assembly in
            let coordinator = TakeForCoordinator<Element>(&assembly, scheduler)
            coordinator.setTimer(duration)
            return coordinator
        }
    }

    /// The elements of a span of time.
    ///
    /// As ``take(for:scheduler:)``.
    ///
    /// - Parameters:
    ///   - duration: the span.
    ///   - scheduler: what measures the time.
    @available(*, deprecated, renamed: "take(for:scheduler:)")
    @inlinable
    @inline(never)
    public func take(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: duration, scheduler: scheduler)
    }
}

@usableFromInline
final class TakeForCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @inlinable
    override init(_ assembly: inout Assembly, _ scheduler: any SchedulerType) {
        super.init(&assembly, scheduler)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        end(error)
    }

    @usableFromInline
    override func tick() {
        end(nil)
    }
}
