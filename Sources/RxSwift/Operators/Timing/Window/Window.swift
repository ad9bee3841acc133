public import Dispatch

extension ObservableType {
    /// Sends sequences (*windows*) of successive elements. A window completes after `timeSpan` or after `count`
    /// elements.
    ///
    ///     source:                                --1-2-3--------4-|
    ///     window(timeSpan: 6 columns, count: 2): w---w-----w-----w|
    ///
    /// ![Windows, each completed when full or after the time span](marble-window)
    ///
    /// When `timeSpan` has passed, the window completes on `scheduler`. Other events are delivered on the thread of the
    /// source.
    ///
    /// The first window opens at the subscription, each later one when the previous window has completed. A window is
    /// hot: an observer misses earlier elements. The terminal event of the source goes to the open window, then to the
    /// result. A window with an observer continues after the result has been disposed of.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused, because windows are subjects.
    ///
    /// - Parameters:
    ///   - timeSpan: the maximum duration of a window.
    ///   - count: the maximum number of elements of a window; 0 for no limit.
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
