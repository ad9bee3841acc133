public import Dispatch

extension ObservableType {
    /// The elements that are sent later than `duration` after the subscription.
    ///
    ///     source:          --1--2--3--4--|
    ///     skip(7 columns): --------3--4--|
    ///
    /// ![The elements after the time span](marble-skip-for)
    ///
    /// The timer runs on `scheduler`, and starts before the source is subscribed to. Events are delivered on the thread
    /// of the source. An error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. The timer continues.
    ///
    /// ## See Also
    ///
    /// - [skip on reactivex.io](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    @inline(never)
    public __consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        joined { context in
            let coordinator = SkipForCoordinator<Element>(&context, scheduler)
            coordinator.setTimer(duration)
            return coordinator
        }
    }
}

/// Guards: only the thread that owns the gate uses `isOpen`.
@usableFromInline
final class SkipForCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false

    @inlinable
    override init(_ context: inout SubscribeContext, _ scheduler: any SchedulerType) {
        super.init(&context, scheduler)
    }

    @inlinable
    func next(_ element: Output) {
        if isOpen { deliver(element) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        end(error)
    }

    @usableFromInline
    override var waitsForResume: Bool { false }

    @usableFromInline
    override func tick() {
        isOpen = true
    }
}
