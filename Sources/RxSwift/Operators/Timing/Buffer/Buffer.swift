public import Dispatch

extension ObservableType {
    /// Arrays of successive elements. An array is sent when `timeSpan` has passed or when it has `count` elements.
    ///
    ///     source:                                --1-2-3-----4-|
    ///     buffer(timeSpan: 6 columns, count: 2): ----[1,2]-[3]-([4]|)
    ///
    /// ![Arrays, each sent when full or after the time span](marble-buffer)
    ///
    /// When `timeSpan` has passed, the array is delivered on `scheduler`. Other events are delivered on the thread of
    /// the source.
    ///
    /// The time of an array starts when the previous array has been delivered. An array may be empty. The collected
    /// elements are sent if the source completes, and dropped if it fails.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. An array that is due during the pause
    /// is sent on resume.
    ///
    /// - Parameters:
    ///   - timeSpan: the maximum time for collecting an array.
    ///   - count: the maximum number of elements of an array; 0 for no limit.
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
