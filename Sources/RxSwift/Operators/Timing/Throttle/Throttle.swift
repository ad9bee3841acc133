public import Dispatch

extension ObservableType {
    /// The first element, and then at most one for each span of time.
    ///
    ///     source:                             --1-2-3------4-5-|
    ///     throttle(5 columns):                --1----3-----4----(5|)
    ///     throttle(5 columns, latest: false): --1----------4---|
    ///
    /// ![At most one element in each span, with and without the latest](marble-throttle)
    ///
    /// A span begins when an element has been delivered; with `latest` the last element that came within it is sent at
    /// its end. The completion waits for that element; an error does not, and drops it.
    ///
    /// It keeps one element. What is delivered at the end of a span comes on `scheduler`, all else as the source sends
    /// it; events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the source goes on; what is due is kept, the latest of it, and sent with the
    /// resume.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - latest: whether the latest element of a span is sent at its end, or dropped like the others.
    ///   - scheduler: what measures the time.
    ///
    /// ## See Also
    ///
    /// - ``debounce(_:scheduler:)``
    /// - ``sample(_:defaultValue:)``
    /// - [debounce on reactivex.io](https://reactivex.io/documentation/operators/debounce.html)
    @inlinable
    @inline(never)
    public __consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        joined { ThrottleCoordinator(&$0, scheduler, ThrottleState(span: dueTime.nanosecondsInInt, latest: latest)) }
    }
}
