public import Dispatch

extension ObservableType {
    /// Each element that is followed by nothing for a span of time, at its end.
    ///
    ///     source:              --1-2-3------4---5-|
    ///     debounce(3 columns): ---------3------4--(5|)
    ///
    /// ![The elements that are followed by a pause](marble-debounce)
    ///
    /// The completion sends the element that still waits, at once; an error drops it.
    ///
    /// It keeps one element. What is delivered at the end of a span comes on `scheduler`, the end as the source sends
    /// it; events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the source goes on; what is due is kept, the latest of it, and sent with the
    /// resume.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - scheduler: what measures the time.
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

/// Guards: `latest` is the gate's owner's.
@usableFromInline
final class DebounceCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    let dueTime: RxTimeInterval
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Output?

    @usableFromInline
    init(_ assembly: inout Assembly, _ scheduler: any SchedulerType, _ dueTime: RxTimeInterval) {
        self.dueTime = dueTime
        super.init(&assembly, scheduler)
    }

    /// It goes on while the chain below is paused, and keeps the latest.
    @inlinable
    var passesSource: Bool { false }

    @usableFromInline
    override var waitsForResume: Bool { true }

    @inlinable
    func next(_ element: Output) {
        // Released at the end of this function, when the timer is set.
        var evicted: Output? = element
        swap(&latest, &evicted)
        setTimer(dueTime)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        if error == nil { tick() }
        end(error)
    }

    @usableFromInline
    override func tick() {
        if let element = latest.take() { deliver(element) }
    }
}
