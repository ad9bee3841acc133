public import Dispatch

extension ObservableType {
    /// Arrays of successive elements. An array is sent when `timeSpan` has passed or when it has `count` elements.
    ///
    ///     source:                                --1-2-3-----4-|
    ///     buffer(timeSpan: 6 columns, count: 2): ----[1,2]-[3]-([4]|)
    ///
    /// ![Arrays of what came, each full or at the end of its span](marble-buffer)
    ///
    /// An array whose time is over is delivered on `scheduler`, other events on the thread of the source.
    ///
    /// The time of an array starts when the previous one has been delivered; an array may be empty. Completion sends
    /// the elements collected so far; an error drops them.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. An array whose time ends during the
    /// pause is sent on resume.
    ///
    /// - Parameters:
    ///   - timeSpan: how long an array collects elements.
    ///   - count: how many elements complete an array before its time is over; 0 for no limit.
    ///   - scheduler: measures the time.
    ///
    /// ## See Also
    ///
    /// - ``window(timeSpan:count:scheduler:)``
    /// - [buffer on reactivex.io](https://reactivex.io/documentation/operators/buffer.html)
    @inlinable
    @inline(never)
    public __consuming func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        joined { context in
            let coordinator = BufferCoordinator<Element>(&context, scheduler, timeSpan, BufferState(count: count))
            coordinator.setTimer(timeSpan)
            return coordinator
        }
    }
}
