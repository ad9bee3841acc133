public import Dispatch

extension ObservableType {
    /// Sends an element if no other element follows it within `dueTime`.
    ///
    ///     source:              --1-2-3------4---5-|
    ///     debounce(3 columns): ---------3------4--(5|)
    ///
    /// ![The elements that no other element follows soon](marble-debounce)
    ///
    /// The element is sent on `scheduler`, the terminal event on the thread of the source. At most one element waits.
    /// It is sent if the source completes, and dropped if the source fails.
    ///
    /// [Pausing](doc:BoundedMemory): the source continues. The latest element that is due during the pause is sent on
    /// resume.
    ///
    /// ## See Also
    ///
    /// - ``throttle(_:latest:scheduler:)``
    /// - [debounce on reactivex.io](https://reactivex.io/documentation/operators/debounce.html)
    @inlinable
    @inline(never)
    public __consuming func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        joined { DebounceCoordinator(&$0, scheduler, dueTime) }
    }
}

/// Guards: only the thread that owns the gate uses `latest`.
@usableFromInline
final class DebounceCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    let dueTime: RxTimeInterval
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Output?

    @usableFromInline
    init(_ context: inout SubscribeContext, _ scheduler: any SchedulerType, _ dueTime: RxTimeInterval) {
        self.dueTime = dueTime
        super.init(&context, scheduler)
    }

    @inlinable
    var sourceRole: SourceRole { .sampled }

    @inlinable
    func next(_ element: Output) {
        // `evicted` is released after the timer has been set, because its `deinit` may make the source send.
        var evicted: Output? = element
        swap(&latest, &evicted)
        setTimer(dueTime)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        if error == nil { tick() }
        end(error)
    }

    @usableFromInline
    override func tick() {
        if let element = latest.take() { deliver(element) }
    }
}
