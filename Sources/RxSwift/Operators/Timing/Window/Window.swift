public import Dispatch

extension ObservableType {
    /// A sequence for one span of time after the other, or for as many elements as there are of them, whichever is full
    /// first.
    ///
    ///     source:                                --1-2-3--------4-|
    ///     window(timeSpan: 6 columns, count: 2): w---w-----w-----w|
    ///
    /// ![Windows, each full or at the end of its span](marble-window)
    ///
    /// The first window opens with the subscription, each other one when the one before has completed. A window is hot:
    /// what is sent before it is subscribed to is lost. The end of the source ends the window that is open, and then
    /// the sequence.
    ///
    /// A window that is subscribed to goes on after the sequence itself has been disposed of. The end of a span comes
    /// on `scheduler`, all else as the source sends it; events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: windows are subjects, which cannot be paused.
    ///
    /// - Parameters:
    ///   - timeSpan: the span.
    ///   - count: how many elements end a span early; 0 for any number.
    ///   - scheduler: what measures the time.
    ///
    /// ## See Also
    ///
    /// - [window on reactivex.io](https://reactivex.io/documentation/operators/window.html)
    @inlinable
    @inline(never)
    public __consuming func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        joined { assembly in
            let timer = SerialDisposable()
            let coordinator = WindowCoordinator<Element>(
                &assembly, scheduler, timer, RefCountedUpstream(timer: timer), timeSpan, WindowState(count: count))
            coordinator.open()
            return coordinator
        }
    }
}
