public import Dispatch

extension ObservableType {
    /// The elements that are sent within `duration` after the subscription.
    ///
    ///     source:               --1--2--3--4--|
    ///     take(for: 7 columns): --1--2-|
    ///
    /// ![The elements within the time span](marble-take-for)
    ///
    /// Completes on `scheduler` when `duration` has passed. The timer starts before the source is subscribed to.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. The timer continues.
    ///
    /// ## See Also
    ///
    /// - [take on reactivex.io](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    @inline(never)
    public __consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        joined { context in
            let coordinator = TakeForCoordinator<Element>(&context, scheduler)
            coordinator.setTimer(duration)
            return coordinator
        }
    }

    /// Like ``take(for:scheduler:)``.
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
    override init(_ context: inout SubscribeContext, _ scheduler: any SchedulerType) {
        super.init(&context, scheduler)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        end(error)
    }

    @usableFromInline
    override var waitsForResume: Bool { false }

    @usableFromInline
    override func tick() {
        end(nil)
    }
}
