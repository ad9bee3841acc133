public import Dispatch

extension ObservableType {
    /// The elements of one span of time after the other, or as many as there are of them, whichever is full first.
    ///
    ///     source:                                --1-2-3-----4-|
    ///     buffer(timeSpan: 6 columns, count: 2): ----[1,2]-[3]-([4]|)
    ///
    /// ![Arrays of what came, each full or at the end of its span](marble-buffer)
    ///
    /// A span begins when the one before has been delivered; an array may be empty. The completion sends what there is;
    /// an error drops it.
    ///
    /// The end of a span comes on `scheduler`, all else as the source sends it; events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; the array of a span that is over is sent
    /// with the resume.
    ///
    /// - Parameters:
    ///   - timeSpan: the span.
    ///   - count: how many elements end a span early; 0 for any number.
    ///   - scheduler: what measures the time.
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
        joined { assembly in
            let coordinator = BufferCoordinator<Element>(&assembly, scheduler, timeSpan, BufferState(count: count))
            coordinator.setTimer(timeSpan)
            return coordinator
        }
    }
}
