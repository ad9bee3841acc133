public import Dispatch

extension ObservableType {
    /// Sends the first element, then at most one element per `dueTime`.
    ///
    ///     source:                             --1-2-3------4-5-|
    ///     throttle(5 columns):                --1----3-----4----(5|)
    ///     throttle(5 columns, latest: false): --1----------4---|
    ///
    /// ![At most one element in each span, with and without the latest](marble-throttle)
    ///
    /// An element at the end of a time span, and a completion that waits for it, are delivered on `scheduler`. Other
    /// events are delivered on the thread of the source.
    ///
    /// A time span begins when an element has been delivered. If `latest` is true, the latest element of the span is
    /// sent at its end. A completion waits for that element; a failure drops it. At most one element waits.
    ///
    /// [Pausing](doc:BoundedMemory): the source continues. The latest element that is due during the pause is sent on
    /// resume.
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
