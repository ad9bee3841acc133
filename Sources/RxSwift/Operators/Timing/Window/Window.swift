public import Dispatch

extension ObservableType {
    /// Sequences ("windows") of successive elements. A window completes when `timeSpan` has passed or when it has sent
    /// `count` elements.
    ///
    ///     source:                                --1-2-3--------4-|
    ///     window(timeSpan: 6 columns, count: 2): w---w-----w-----w|
    ///
    /// ![Windows, each full or at the end of its span](marble-window)
    ///
    /// A window whose time is over completes on `scheduler`; other events are delivered on the thread of the source.
    ///
    /// The first window opens with the subscription, each later one when the previous one has completed. A window is
    /// hot: an observer misses the elements that were sent before it subscribed. The end of the source ends the open
    /// window, then the sequence. A window with an observer continues after the sequence itself has been disposed of.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, because windows are subjects, which cannot be
    /// paused.
    ///
    /// - Parameters:
    ///   - timeSpan: how long a window is open.
    ///   - count: how many elements complete a window before its time is over; 0 for no limit.
    ///   - scheduler: measures the time.
    ///
    /// ## See Also
    ///
    /// - [window on reactivex.io](https://reactivex.io/documentation/operators/window.html)
    @inlinable
    @inline(never)
    public __consuming func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        joined { context in
            let timer = SerialDisposable()
            let coordinator = WindowCoordinator<Element>(
                &context, scheduler, timer, RefCountedUpstream(timer: timer), timeSpan, WindowState(count: count))
            coordinator.open()
            return coordinator
        }
    }
}
