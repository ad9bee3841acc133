public import Dispatch

extension ObservableType {
    /// The elements after a span of time, which begins with the subscription.
    ///
    ///     source:          --1--2--3--4--|
    ///     skip(7 columns): --------3--4--|
    ///
    /// ![What comes once the span is over](marble-skip-for)
    ///
    /// Ends with the source. Even within a span of zero a source is skipped that emits while it is subscribed. The span
    /// ends on `scheduler`; events stay on the thread on which they come, and an error is handed on at once.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; the time goes on.
    ///
    /// - Parameters:
    ///   - duration: the span.
    ///   - scheduler: what measures the time.
    ///
    /// ## See Also
    ///
    /// - [skip on reactivex.io](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    @inline(never)
    public __consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        joined { assembly in
            let coordinator = SkipForCoordinator<Element>(&assembly, scheduler)
            coordinator.setTimer(duration)
            return coordinator
        }
    }
}

/// Guards: `isOpen` is the gate's owner's.
@usableFromInline
final class SkipForCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false

    @inlinable
    override init(_ assembly: inout Assembly, _ scheduler: any SchedulerType) {
        super.init(&assembly, scheduler)
    }

    @inlinable
    func next(_ element: Output) {
        if isOpen { deliver(element) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        end(error)
    }

    @usableFromInline
    override func tick() {
        isOpen = true
    }
}
